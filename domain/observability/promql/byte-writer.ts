import { limitExceeded } from './evaluation/query-budget.ts'

const mib = 1024 * 1024

/** The largest answer. */
const maxBytes = 128 * mib

/** The bytes that one call of `copy` moves singly; the call of the library is faster for more. */
const fewBytes = 96

/** The bytes of a text in UTF-8 that grows. All calls throw QUERY_LIMIT_EXCEEDED beyond 128 MiB. */
export class ByteWriter {
  readonly #encoder = new TextEncoder()
  #bytes = new Uint8Array(65_536)
  #length = 0

  /** The position of the next byte. */
  get length(): number {
    return this.#length
  }

  /** Writes any text. */
  write(text: string): void {
    this.#reserve(text.length * 3)
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written
  }

  /** Writes a short text of ASCII characters. */
  writeAscii(text: string): void {
    this.#reserve(text.length)
    for (let i = 0; i < text.length; i += 1) this.#bytes[this.#length + i] = text.charCodeAt(i)
    this.#length += text.length
  }

  /** Writes bytes of a text between two positions. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start)
    if (end - start > fewBytes) this.#bytes.set(source.subarray(start, end), this.#length)
    else for (let from = start, to = this.#length; from < end; from += 1, to += 1) this.#bytes[to] = source[from] ?? 0
    this.#length += end - start
  }

  /** Writes a copy of the bytes between two earlier positions. */
  repeat(start: number, end: number): void {
    this.copy(this.#bytes, start, end)
  }

  /** Takes memory for about so many bytes more. The system gives the pages of the memory once they are written. */
  expect(count: number): void {
    const expected = Math.min(this.#length + count, maxBytes)
    if (expected > this.#bytes.length) this.#resize(expected)
  }

  /** Returns the bytes, at the beginning of a buffer that belongs to them; nothing can be written afterwards. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    if (needed > maxBytes) throw limitExceeded('memory', `an answer may have ${maxBytes / mib} MiB`)
    this.#resize(Math.min(maxBytes, Math.max(needed, this.#bytes.length * 2)))
  }

  #resize(size: number): void {
    const resized = new Uint8Array(size)
    resized.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = resized
  }
}
