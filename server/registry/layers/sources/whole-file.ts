import type { ContentSink } from '../tar/tar-reader.ts'

/** Collects the content of a file whose size is known, and gives it away at its end. */
export class WholeFile implements ContentSink {
  readonly #bytes: Buffer
  readonly #take: (bytes: Buffer) => void
  #filled = 0

  constructor(size: number, take: (bytes: Buffer) => void) {
    this.#bytes = Buffer.allocUnsafeSlow(size)
    this.#take = take
  }

  write(bytes: Buffer): boolean {
    this.#filled += bytes.copy(this.#bytes, this.#filled)
    return true
  }

  end(): void {
    this.#take(this.#bytes.subarray(0, this.#filled))
  }
}
