import { limitExceeded } from './evaluation/query-budget.ts'

const mib = 1024 * 1024

/** The largest answer. */
const maxBytes = 128 * mib

/** The bytes that are collected before they move to the answer: single bytes are written faster to memory of a fixed size. */
const pageBytes = 65_536

/** The steps in which the memory of an answer grows. */
const stepBytes = mib

/** The bytes that one call of `copy` moves singly; the call of the library is faster for more. */
const fewBytes = 96

/**
 * The bytes of a text in UTF-8 that grows. The memory of a long text grows in place, and the system has it back as soon as
 * the memory is released. A text beyond 128 MiB is QUERY_LIMIT_EXCEEDED, which `finish` throws at the latest.
 */
export class ByteWriter {
  readonly #encoder = new TextEncoder()
  readonly #page = new Uint8Array(pageBytes)
  #inPage = 0
  /** The bytes before those of the page; undefined for a short text. */
  #moved: Uint8Array<ArrayBuffer> | undefined
  #length = 0

  /** Writes any text. */
  write(text: string): void {
    if (!this.#reserve(text.length * 3)) this.#move(this.#encoder.encode(text))
    else this.#inPage += this.#encoder.encodeInto(text, this.#page.subarray(this.#inPage)).written
  }

  /** Writes a short text of ASCII characters. */
  writeAscii(text: string): void {
    if (!this.#reserve(text.length)) return this.#move(this.#encoder.encode(text))
    for (let i = 0; i < text.length; i += 1) this.#page[this.#inPage + i] = text.charCodeAt(i)
    this.#inPage += text.length
  }

  /** Writes bytes of a text between two positions. */
  copy(source: Uint8Array, start: number, end: number): void {
    if (!this.#reserve(end - start)) return this.#move(source.subarray(start, end))
    if (end - start > fewBytes) this.#page.set(source.subarray(start, end), this.#inPage)
    else for (let from = start, to = this.#inPage; from < end; from += 1, to += 1) this.#page[to] = source[from] ?? 0
    this.#inPage += end - start
  }

  /** Returns the bytes, whose buffer has no others; nothing can be written afterwards. */
  finish(): Uint8Array<ArrayBuffer> {
    if (this.#moved === undefined) return this.#page.slice(0, this.#inPage)
    this.#reserve(pageBytes)
    const { buffer } = this.#moved
    buffer.resize(this.#length)
    return new Uint8Array(buffer)
  }

  /** Makes room in the page; returns whether the page is large enough. */
  #reserve(count: number): boolean {
    if (this.#inPage + count <= pageBytes) return true
    this.#move(this.#page.subarray(0, this.#inPage))
    this.#inPage = 0
    return count <= pageBytes
  }

  #move(bytes: Uint8Array): void {
    const length = this.#length + bytes.length
    if (length > maxBytes) throw limitExceeded('memory', `an answer may have ${maxBytes / mib} MiB`)
    this.#moved ??= new Uint8Array(new ArrayBuffer(0, { maxByteLength: maxBytes }))
    const { buffer } = this.#moved
    if (length > buffer.byteLength) buffer.resize(Math.min(maxBytes, Math.ceil(length / stepBytes) * stepBytes))
    this.#moved.set(bytes, this.#length)
    this.#length = length
  }
}
