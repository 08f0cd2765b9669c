import { ApiError } from '../../../runtime/errors.ts'
import type { SinkRules } from '../sinks/sink-filter.ts'
import type { SinkSourceReader } from '../sinks/sink-lines.ts'
import type { SinkBatch } from '../sinks/sink-exports-store.ts'

/** The bytes of lines that one read returns. */
export const pageBytes = 8 * 1024 * 1024

/** The reasons for which a read fails because of the rules of its sink, and which the owner of the sink can mend. */
const ruleFaults: ReadonlySet<string> = new Set(['QUERY_LIMIT_EXCEEDED', 'QUERY_TIMEOUT'])

/** Returns why the rules of a sink make its reads fail; undefined for a failure of another cause. */
export const faultOfRules = (error: unknown): string | undefined =>
  error instanceof ApiError && ruleFaults.has(error.reason) ? `${error.reason}: ${error.message}` : undefined

/** The failure of a read of the entries, which is no failure of the destination. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed'

  constructor(cause: unknown) {
    super('the entries of a sink cannot be read', { cause })
  }
}

/** The lines of a batch, and the number of entries that were read so far. */
export class BatchLines {
  entries = 0
  readonly #source: SinkSourceReader
  readonly #rules: SinkRules
  readonly #batch: SinkBatch
  readonly #signal: AbortSignal

  constructor(source: SinkSourceReader, rules: SinkRules, batch: SinkBatch, signal: AbortSignal) {
    this.#source = source
    this.#rules = rules
    this.#batch = batch
    this.#signal = signal
  }

  /**
   * Iterates over the lines of the entries, in the order of their numbers, in bounded chunks. Throws `SourceFailed`, and
   * the reason of an aborted signal.
   */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const { first, last } = this.#batch
    let after = first - 1
    while (after < last) {
      this.#signal.throwIfAborted()
      const page = await this.#source
        .read({ rules: this.#rules, after, last, maxBytes: pageBytes, mayExceed: true, withText: true })
        .catch((error: unknown) => {
          throw new SourceFailed(error)
        })
      this.entries += page.entries
      if (page.text.length > 0) yield page.text
      after = page.position
    }
  }

  /** Returns the lines in one piece, for batches that are small. */
  async all(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.chunks()) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
}
