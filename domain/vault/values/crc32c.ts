import { checksumMismatch } from '../../../output/vault/errors.ts'

/** The remainders of all bytes for the reversed polynomial of CRC-32C (Castagnoli, RFC 3720 §12.1). */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
  return remainder
})

/** The remainders of a byte that 1, 2 and 3 further bytes follow, so that four bytes are taken at once. */
const further1 = shifted(remainders)
const further2 = shifted(further1)
const further3 = shifted(further2)

/** Returns the remainders of a table, each with one more byte of zero behind. */
function shifted(table: Uint32Array): Uint32Array {
  return table.map(remainder => (remainder >>> 8) ^ (remainders[remainder & 0xff] ?? 0))
}

/** Returns the CRC-32C of bytes, as an unsigned number of 32 bits. */
export function crc32c(bytes: Uint8Array): number {
  const { length } = bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  let sum = 0xffffffff
  let at = 0
  for (; at + 4 <= length; at += 4) {
    sum ^= view.getUint32(at, true)
    sum =
      (further3[sum & 0xff] ?? 0) ^
      (further2[(sum >>> 8) & 0xff] ?? 0) ^
      (further1[(sum >>> 16) & 0xff] ?? 0) ^
      (remainders[sum >>> 24] ?? 0)
  }
  for (; at < length; at += 1) sum = (sum >>> 8) ^ (remainders[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0)
  return ~sum >>> 0
}

/** Throws CHECKSUM_MISMATCH if a given checksum differs from the checksum of the bytes of a field. */
export function requireChecksum(bytes: Uint8Array, given: number | undefined, field: string): void {
  if (given === undefined || given === crc32c(bytes)) return
  const description = 'is not the CRC-32C of the bytes that arrived; send the value again'
  throw checksumMismatch(`${field}: ${description}`, { field }, { badRequest: [{ field, description }] })
}
