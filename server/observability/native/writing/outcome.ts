import type { WriteResult } from '../../../../domain/observability/metrics/metric-engine.ts'
import { labelsOfKey } from '../../../../domain/observability/metrics/label-key.ts'
import type { Rejections } from '../../../../domain/observability/metrics/samples.ts'

/** The reasons for which the engine refuses samples, with the sentence about one of them. */
const sentences = {
  duplicate: 'has another value at the time of an earlier sample, which stays',
  future: 'has a sample more than 10 minutes in the future',
  out_of_order: 'has a sample more than an hour before its newest sample',
  series_limit: 'would be a series above the limit of active series',
  too_old: 'has a sample that is older than the retention',
} as const

/** A reason for which the engine refuses a sample. */
export type RejectionReason = keyof typeof sentences

/** Counts what becomes of the samples of a write. */
export class Outcome {
  #accepted = 0
  readonly #rejections: Record<string, number>
  #message: string

  /** `earlier` and `message` are the refusals before the engine. */
  constructor(earlier: Rejections, message: string) {
    this.#rejections = { ...earlier }
    this.#message = message
  }

  accept(samples: number): void {
    this.#accepted += samples
  }

  /** Counts refused samples of the series with a key. */
  reject(reason: RejectionReason, key: string, samples = 1): void {
    this.#rejections[reason] = (this.#rejections[reason] ?? 0) + samples
    if (this.#message !== '') return
    const { __name__: name = '' } = labelsOfKey(key)
    this.#message = `${name === '' ? 'a series without a name' : name} ${sentences[reason]}`
  }

  result(): WriteResult {
    return { accepted: this.#accepted, rejections: this.#rejections, message: this.#message }
  }
}
