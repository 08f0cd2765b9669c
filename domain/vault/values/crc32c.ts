import { checksumMismatch } from '../../../output/vault/errors.ts'

/** The remainders of all bytes for the reversed polynomial of CRC-32C (Castagnoli, RFC 3720 §12.1). */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
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

/** Returns the CRC-32C of bytes, as an unsigned number of 32 bits. */
export function crc32c(bytes: Uint8Array): number {
  const { length } = bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  let sum = -1
  let at = 0
  for (; at + stride <= length; at += stride) {
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

/** Throws CHECKSUM_MISMATCH if a given checksum differs from the checksum of the bytes of a field. */
export function requireChecksum(bytes: Uint8Array, given: number | undefined, field: string): void {
  if (given === undefined || given === crc32c(bytes)) return
  const description = 'is not the CRC-32C of the bytes that arrived; send the value again'
  throw checksumMismatch(`${field}: ${description}`, { field }, { badRequest: [{ field, description }] })
}
