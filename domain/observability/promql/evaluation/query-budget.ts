import { queryLimitExceeded, queryTimeout } from '../../../../output/observability/errors.ts'

/** The most samples that a query may hold: those that it loads, and those of results of its parts. */
export const maxSamples = 5_000_000
/** The most series in an answer. */
export const maxSeries = 10_000

/** Work after which the deadline is checked again, in samples. */
const checkedWork = 50_000

/** The limits of one query, and the used part of each. */
export class QueryBudget {
  readonly #deadline: number
  readonly #isAborted: () => boolean
  #work = 0
  #loaded = 0
  #held = 0

  /** `timeoutMs` counts from now; `isAborted` is asked about every millisecond of work. */
  constructor(timeoutMs: number, isAborted: () => boolean) {
    this.#deadline = performance.now() + timeoutMs
    this.#isAborted = isAborted
  }

  /** The samples that were read. */
  get loaded(): number {
    return this.#loaded
  }

  /** Counts samples that a selector loads. Throws QUERY_LIMIT_EXCEEDED or QUERY_TIMEOUT. */
  load(samples: number): void {
    this.#loaded += samples
    this.#check()
    this.spend(samples)
  }

  /** Counts samples of the result of a part. Throws QUERY_LIMIT_EXCEEDED or QUERY_TIMEOUT. */
  hold(samples: number): void {
    this.#held += samples
    this.#check()
    this.spend(samples)
  }

  /** Runs a part of a query; of all that it holds, only its result is still held afterwards. */
  keeping<T>(run: () => T, sizeOf: (result: T) => number): T {
    const before = this.#held
    const result = run()
    this.#held = before + sizeOf(result)
    return result
  }

  /** Counts work on samples. Throws QUERY_TIMEOUT after the deadline, and when the query is aborted. */
  spend(samples: number): void {
    this.#work += samples + 1
    if (this.#work < checkedWork) return
    this.#work = 0
    if (performance.now() > this.#deadline) throw queryTimeout('the query took longer than its timeout')
    if (this.#isAborted()) throw queryTimeout('the query was aborted')
  }

  #check(): void {
    if (this.#loaded + this.#held > maxSamples) throw limitExceeded('samples', `a query may hold ${maxSamples} samples`)
  }
}

/** The error of a query that exceeds the limit `limit`. */
export const limitExceeded = (limit: string, description: string): Error =>
  queryLimitExceeded(description, { limit }, { quota: [{ subject: 'query', description }] })
