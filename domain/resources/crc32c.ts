/** The polynomial of CRC-32C (Castagnoli, RFC 3720 §12.1) with its bits reversed. */
const polynomial = 0x82f63b78

/** The remainders of all bytes. */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? polynomial : 0)
  return remainder
})

/** The number of bytes that are taken at once. */
const stride = 8

/** The remainders of a byte that 0 to 7 further bytes of zero follow, 256 for each number of bytes. */
const further = tables()

function tables(): Uint32Array {
  const all = new Uint32Array(stride * 256)
  all.set(remainders)
  for (let i = 256; i < all.length; i += 1) {
    const shorter = all[i - 256] ?? 0
    all[i] = (shorter >>> 8) ^ (remainders[shorter & 0xff] ?? 0)
  }
  return all
}

/** Returns the remainder of a byte that `zeros` bytes of zero follow. */
const remainderOf = (byte: number, zeros: number): number => further[zeros * 256 + (byte & 0xff)] ?? 0

/**
 * Returns the CRC-32C of the bytes whose checksum is `before`, followed by `bytes`, as an unsigned number of 32 bits; 0
 * is the checksum of nothing.
 */
export function crc32c(bytes: Uint8Array, before = 0): number {
  const { length } = bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  // Bytes are always left for the second loop: V8 would discard the compiled function when that loop first has a turn.
  const strided = length - stride
  let sum = ~before
  let at = 0
  for (; at < strided; at += stride) {
    const low = sum ^ view.getInt32(at, true)
    const high = view.getInt32(at + 4, true)
    sum =
      remainderOf(low, 7) ^
      remainderOf(low >>> 8, 6) ^
      remainderOf(low >>> 16, 5) ^
      remainderOf(low >>> 24, 4) ^
      remainderOf(high, 3) ^
      remainderOf(high >>> 8, 2) ^
      remainderOf(high >>> 16, 1) ^
      remainderOf(high >>> 24, 0)
  }
  for (; at < length; at += 1) sum = (sum >>> 8) ^ remainderOf(sum ^ (bytes[at] ?? 0), 0)
  return ~sum >>> 0
}

/** Returns the checksum of two byte sequences one after the other, from their checksums and the length of the second. */
export function combineCrc32c(first: number, second: number, secondLength: number): number {
  // A checksum is linear over GF(2): `power` is the matrix that appends zero bytes, squared for each bit of the length.
  let power = squared(squared(squared(shiftByBit())))
  let moved = first
  for (let length = secondLength; length > 0; length = Math.floor(length / 2)) {
    if (length % 2 === 1) moved = times(power, moved)
    power = squared(power)
  }
  return (moved ^ second) >>> 0
}

/** The matrix that appends one zero bit; column `n` is the image of bit `n`. */
const shiftByBit = (): Int32Array =>
  Int32Array.from({ length: 32 }, (_, bit) => (bit === 0 ? polynomial : 1 << (bit - 1)))

function times(matrix: Int32Array, vector: number): number {
  let sum = 0
  for (let rest = vector >>> 0, bit = 0; rest !== 0; rest >>>= 1, bit += 1) if (rest & 1) sum ^= matrix[bit] ?? 0
  return sum
}

const squared = (matrix: Int32Array): Int32Array => matrix.map(column => times(matrix, column))

/** Returns the Base64 text of a checksum, most significant byte first, as the header `x-amz-checksum-crc32c` has it. */
export function crc32cText(checksum: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(checksum)
  return bytes.toString('base64')
}

/** Returns the checksum of a text that `crc32cText` has returned. */
export const crc32cOf = (text: string): number => Buffer.from(text, 'base64').readUInt32BE()
