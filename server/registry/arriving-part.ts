import type { Chunks } from '../../runtime/media.ts'
import { untilFailure } from './until-failure.ts'

type Chunk = Uint8Array<ArrayBuffer>

/** The limit of a part, and the function that receives its chunks. */
export interface PartRules {
  readonly maxBytes: number
  /** Makes the error of a part with more than `maxBytes` bytes. */
  readonly tooLong: () => Error
  /** Receives each chunk before it is handed on, for a hash. */
  readonly add: (chunk: Chunk) => Promise<void>
}

/** The bytes of one call for an upload, of which those before a failure of the body count. */
export class ArrivingPart implements AsyncIterable<Chunk> {
  readonly #chunks: AsyncGenerator<Chunk, void, undefined>
  #first: Chunk | undefined
  #size = 0
  #failure: { readonly error: unknown } | undefined

  constructor(body: Chunks, rules: PartRules) {
    this.#chunks = this.#checked(
      untilFailure(body, error => (this.#failure = { error })),
      rules,
    )
  }

  /** Reads the first bytes; returns whether there are any. */
  async begins(): Promise<boolean> {
    this.#first = (await this.#chunks.next()).value ?? undefined
    return this.#first !== undefined
  }

  /** Hands the bytes on. Ends with an error if they are too long. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Chunk, void, undefined> {
    const first = this.#first
    this.#first = undefined
    if (first) yield first
    yield* this.#chunks
  }

  /** Throws the error of the body, or that of too many bytes. */
  requireWhole(): void {
    if (this.#failure) throw this.#failure.error
  }

  /** Ends the reading of the body. */
  async end(): Promise<void> {
    await this.#chunks.return()
  }

  async *#checked(body: Chunks, { add, maxBytes, tooLong }: PartRules): AsyncGenerator<Chunk, void, undefined> {
    for await (const chunk of body) {
      if (chunk.length === 0) continue
      this.#size += chunk.length
      if (this.#size > maxBytes) {
        const error = tooLong()
        this.#failure = { error }
        throw new Error('the part has too many bytes', { cause: error })
      }
      await add(chunk)
      yield chunk
    }
  }
}
