import type { LogBatch, NewEntry, StreamEntries } from '../logs/log-batch.ts'
import { largePayload } from './payload-faults.ts'
import type { Refusal, SortedLabels } from './sample-batch.ts'

/** The largest number of entries of one request, refused ones too, so that a request cannot fill the memory. */
const maxEntries = 1_000_000

/** The largest number of characters of the labels of all streams and of the metadata of all entries of a request. */
const maxCharacters = 268_435_456

/** Collects the log entries of a request, stream by stream. */
export class LogCollector {
  readonly #streams = new Map<string, StreamEntries & { readonly entries: NewEntry[] }>()
  readonly #rejections = new Map<string, number>()
  #message = ''
  #entries = 0
  #characters = 0

  /** Returns the list that takes the entries of a stream. Throws PAYLOAD_TOO_LARGE beyond the largest number of characters. */
  stream(labels: SortedLabels): NewEntry[] {
    const key = JSON.stringify(labels)
    this.charge(key.length)
    const known = this.#streams.get(key)
    if (known) return known.entries
    const stream = { labels: Object.fromEntries(labels), entries: [] }
    this.#streams.set(key, stream)
    return stream.entries
  }

  /** Counts an entry. Throws PAYLOAD_TOO_LARGE beyond 1,000,000 entries. */
  count(): void {
    if (++this.#entries > maxEntries) throw largePayload(`has more than ${maxEntries} entries; send smaller batches`)
  }

  /** Counts characters of labels or metadata. Throws PAYLOAD_TOO_LARGE beyond the largest number. */
  charge(characters: number): void {
    this.#characters += characters
    if (this.#characters > maxCharacters) throw largePayload('has too many attributes; send smaller batches')
  }

  /** Counts an entry as refused; the first message is kept. */
  refuse({ message, reason }: Refusal): void {
    this.#message ||= message
    this.#rejections.set(reason, (this.#rejections.get(reason) ?? 0) + 1)
  }

  finish(): LogBatch {
    return {
      streams: [...this.#streams.values()],
      rejections: Object.fromEntries(this.#rejections),
      message: this.#message,
    }
  }
}
