import type { LogBatch } from '../../../../../domain/observability/logs/log-batch.ts'
import type { LogWriteResult } from '../../../../../domain/observability/logs/log-engine.ts'

/** The reasons for which the engine refuses entries, with a sentence for the sender. */
const sentences = {
  future: 'an entry has a time more than 10 minutes in the future',
  stream_limit: 'an entry would begin a stream above the limit of log streams',
  too_old: 'an entry is older than the retention',
} as const

/** Counts what becomes of the entries of a write. */
export class EntryOutcome {
  #accepted = 0
  #bytes = 0
  readonly #rejections: Record<string, number>
  #message: string

  /** Begins with the refusals before the engine. */
  constructor({ message, rejections }: LogBatch) {
    this.#rejections = { ...rejections }
    this.#message = message
  }

  accept(bytes: number): void {
    this.#accepted += 1
    this.#bytes += bytes
  }

  reject(reason: keyof typeof sentences, bytes: number): void {
    this.#bytes += bytes
    this.#rejections[reason] = (this.#rejections[reason] ?? 0) + 1
    this.#message ||= sentences[reason]
  }

  result(): Omit<LogWriteResult, 'lastNumber'> {
    return { accepted: this.#accepted, bytes: this.#bytes, rejections: this.#rejections, message: this.#message }
  }
}
