import { invalidPayload, maxInflatedBytes, tooManyBytes } from './payload-faults.ts'

/** The largest length of a literal that its tag holds; longer literals have their length in the bytes after the tag. */
const longestShortLiteral = 60

/**
 * Decompresses a block of snappy (the format description of google/snappy). The length at the beginning of the block is
 * checked before memory is taken, and each element before it is copied: the work is bounded by that length. Throws
 * PAYLOAD_INVALID and PAYLOAD_TOO_LARGE.
 */
export function decompressSnappy(block: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new SnappyReader(block)
  const length = reader.length()
  if (length > maxInflatedBytes) throw tooManyBytes()
  const whole = new Uint8Array(length)
  let end = 0
  while (!reader.isAtEnd) {
    const tag = reader.number(1)
    end += (tag & 3) === 0 ? literal(reader, tag, whole, end) : copy(reader, tag, whole, end)
  }
  if (end !== length) throw malformed()
  return whole
}

/** Writes the bytes of a literal at `end`, and returns their number. */
function literal(reader: SnappyReader, tag: number, whole: Uint8Array, end: number): number {
  const short = (tag >>> 2) + 1
  const length = short <= longestShortLiteral ? short : reader.number(short - longestShortLiteral) + 1
  if (end + length > whole.length) throw malformed()
  reader.copyTo(whole, end, length)
  return length
}

/** Repeats bytes that were written before at `end`, and returns their number; a copy may overlap its own result. */
function copy(reader: SnappyReader, tag: number, whole: Uint8Array, end: number): number {
  const isNear = (tag & 3) === 1
  const length = isNear ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
  const offset = isNear ? ((tag >>> 5) << 8) + reader.number(1) : reader.number((tag & 3) === 2 ? 2 : 4)
  if (offset === 0 || offset > end || end + length > whole.length) throw malformed()
  // A copy has at most 64 bytes, for which the calls of the library would take longer.
  for (let at = end, last = end + length; at < last; at += 1) whole[at] = whole[at - offset] ?? 0
  return length
}

/** Reads the parts of a block; throws PAYLOAD_INVALID beyond its end. */
class SnappyReader {
  readonly #block: Uint8Array
  #at = 0

  constructor(block: Uint8Array) {
    this.#block = block
  }

  get isAtEnd(): boolean {
    return this.#at === this.#block.length
  }

  /** Copies the next bytes to a position of `target`, which has room for them. */
  copyTo(target: Uint8Array, position: number, count: number): void {
    const end = this.#at + count
    if (end > this.#block.length) throw malformed()
    if (count > longestShortLiteral) target.set(this.#block.subarray(this.#at, end), position)
    else for (let i = 0; i < count; i += 1) target[position + i] = this.#block[this.#at + i] ?? 0
    this.#at = end
  }

  /** Reads a little-endian number of 1 to 4 bytes. */
  number(byteCount: number): number {
    const end = this.#at + byteCount
    if (end > this.#block.length) throw malformed()
    let number = 0
    for (let at = end - 1; at >= this.#at; at--) number = number * 256 + (this.#block[at] ?? 0)
    this.#at = end
    return number
  }

  /** Reads the length of the decompressed bytes: a varint of at most 32 bits. */
  length(): number {
    for (let length = 0, shift = 0; shift < 5; shift++) {
      const byte = this.number(1)
      length += (byte & 127) * 128 ** shift
      if (byte < 128) return length
    }
    throw malformed()
  }
}

const malformed = () => invalidPayload('is not valid snappy')
