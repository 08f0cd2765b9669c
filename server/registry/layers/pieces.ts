/** The bytes of a source, of which some can be looked at and given back. */
export class Pieces {
  readonly #source: AsyncIterator<Buffer>
  /** The bytes that were looked at or given back. */
  #ahead: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns the next bytes; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    if (this.#ahead.length > 0) {
      const ahead = this.#ahead
      this.#ahead = Buffer.alloc(0)
      return ahead
    }
    for (;;) {
      const { done, value } = await this.#source.next()
      if (done === true) return undefined
      if (value.length > 0) return value
    }
  }

  /** Returns the next bytes, which are read again: at least `count`, or fewer at the end. */
  async peek(count: number): Promise<Buffer> {
    let seen: Buffer = Buffer.alloc(0)
    while (seen.length < count) {
      const piece = await this.next()
      if (piece === undefined) break
      seen = seen.length === 0 ? piece : Buffer.concat([seen, piece])
    }
    this.#ahead = seen
    return seen
  }

  /** Takes back the last bytes of `next`. */
  giveBack(bytes: Buffer): void {
    if (bytes.length > 0) this.#ahead = bytes
  }

  /** Yields the bytes that are left. */
  async *rest(): AsyncGenerator<Buffer> {
    for (let piece = await this.next(); piece !== undefined; piece = await this.next()) yield piece
  }
}
