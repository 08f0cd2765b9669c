import type { Series } from '../metrics/samples.ts'
import type { Matcher } from './matcher.ts'

/** The series and the times that a selector of a query reads. */
export interface Selection {
  /** The conditions that a series must fit, all of them. */
  readonly matchers: readonly Matcher[]
  /** Samples are later than this time, in milliseconds since 1970. */
  readonly after: number
  /** Samples are at this time or before it, in milliseconds since 1970. */
  readonly to: number
  /**
   * Counts samples against the limits of the query. A source calls it before it loads the samples of a series or of a
   * block, and at least once in each 100,000 samples. Throws the error of the query if a limit is exceeded.
   */
  charge(samples: number): void
}

/** The samples of one workspace, as an evaluator reads them. All calls are synchronous. */
export interface SampleSource {
  /**
   * Returns the series that fit a selection and have a sample between its times, each series once, in any order. Samples
   * lie in the order of their times, no two at one time. Stale marks are samples too and keep their bits. The evaluator
   * does not change the arrays.
   */
  select(selection: Selection): readonly Series[]
}
