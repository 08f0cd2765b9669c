import { checksumMismatch } from '../../../output/vault/errors.ts'

/** The remainders of all bytes for the reversed polynomial of CRC-32C (Castagnoli, RFC 3720 §12.1). */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
  return remainder
})

/** Returns the CRC-32C of bytes, as an unsigned number of 32 bits. */
export function crc32c(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) sum = (sum >>> 8) ^ (remainders[(sum ^ byte) & 0xff] ?? 0)
  return ~sum >>> 0
}

/** Throws CHECKSUM_MISMATCH if a given checksum differs from the checksum of the bytes of a field. */
export function requireChecksum(bytes: Uint8Array, given: number | undefined, field: string): void {
  if (given === undefined || given === crc32c(bytes)) return
  const description = 'is not the CRC-32C of the bytes that arrived; send the value again'
  throw checksumMismatch(`${field}: ${description}`, { field }, { badRequest: [{ field, description }] })
}
