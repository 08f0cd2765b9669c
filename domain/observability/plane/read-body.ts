import { released } from '../../../runtime/media.ts'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import { maxInflatedBytes, tooManyBytes } from '../ingest/payload-faults.ts'

/** The largest number of bytes of all bodies that a server reads at one time. */
const maxBytes = 4 * maxInflatedBytes

/** The bytes of bodies that are in the memory of the server. */
export class BodyMemory {
  #bytes = 0

  /**
   * Reads a body and runs `use` with all its bytes, which count until `use` has ended. Throws PAYLOAD_TOO_LARGE beyond 64
   * MiB, before the body is read if its declared length is larger, and ENGINE_UNAVAILABLE if the memory is in use.
   */
  async read<Result>(
    body: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined,
    declared: string | undefined,
    use: (bytes: Uint8Array) => Promise<Result>,
  ): Promise<Result> {
    if (Number(declared ?? 0) > maxInflatedBytes) throw tooManyBytes()
    const chunks: Uint8Array<ArrayBuffer>[] = []
    let length = 0
    try {
      for await (const chunk of body ?? []) {
        length += chunk.length
        this.#bytes += chunk.length
        if (length > maxInflatedBytes) throw tooManyBytes()
        if (this.#bytes > maxBytes) throw busy()
        chunks.push(chunk)
      }
      const bytes = Buffer.concat(chunks)
      released(chunks)
      return await use(bytes)
    } finally {
      this.#bytes -= length
    }
  }
}

const busy = () =>
  engineUnavailable('the server reads too many requests of senders at the moment', { retryAfterSeconds: 5 })
