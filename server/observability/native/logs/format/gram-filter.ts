import { hasChecksum, unchanged, withChecksum } from './checksums.ts'
import { MalformedBlock } from './malformed-block.ts'

/** The number of bytes of a gram. */
const gramBytes = 4

/** A bit for every so many bytes of lines. */
const bytesPerBit = 2

/** The fewest bits of a filter, as a power of two. */
const fewestBits = 9

/**
 * Returns a filter of the grams of some lines: a bit for the hash of each run of four bytes. The lines are joined, so
 * runs that cross the end of a line count too.
 */
export function gramFilter(lines: Uint8Array): Uint8Array {
  const power = Math.max(fewestBits, Math.ceil(Math.log2(lines.length / bytesPerBit + 1)))
  const bits = new Uint8Array(2 ** power / 8)
  const shift = 32 - power
  let gram = 0
  for (let i = 0; i < lines.length; i += 1) {
    gram = (gram << 8) | (lines[i] ?? 0)
    if (i < gramBytes - 1) continue
    const bit = hashOf(gram) >>> shift
    bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }
  return bits
}

/** Returns a filter as a file has it. */
export const encodeFilter = (filter: Uint8Array): Uint8Array => withChecksum(filter)

/** Returns the filter of some bytes, whose memory it shares. Throws `MalformedBlock`. */
export function decodeFilter(bytes: Uint8Array): Uint8Array {
  // Older filters have no checksum, and their bits may be those of its version. The length of a filter is a power of two.
  if (Number.isInteger(Math.log2(bytes.length))) return bytes
  const filter = hasChecksum(bytes) ? unchanged(bytes) : undefined
  if (filter === undefined) throw new MalformedBlock('has a filter that differs from its checksum')
  return filter
}

/** Whether lines with a filter may contain a text; false is certain. Texts of less than four bytes are always possible. */
export function mayContain(filter: Uint8Array, text: Uint8Array): boolean {
  const shift = 32 - Math.log2(filter.length * 8)
  let gram = 0
  for (let i = 0; i < text.length; i += 1) {
    gram = (gram << 8) | (text[i] ?? 0)
    if (i < gramBytes - 1) continue
    const bit = hashOf(gram) >>> shift
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** Returns a hash of 32 bits, whose high bits depend on all bits of the gram. */
const hashOf = (gram: number): number => {
  const mixed = Math.imul(gram ^ (gram >>> 15), 0x2c_1b_3c_6d)
  return Math.imul(mixed ^ (mixed >>> 12), 0x29_7a_2d_39)
}
