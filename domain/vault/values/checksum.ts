import { checksumMismatch } from '../../../output/vault/errors.ts'
import { crc32c } from '../../resources/crc32c.ts'

/** Throws CHECKSUM_MISMATCH if a given checksum differs from the checksum of the bytes of a field. */
export function requireChecksum(bytes: Uint8Array, given: number | undefined, field: string): void {
  if (given === undefined || given === crc32c(bytes)) return
  const description = 'is not the CRC-32C of the bytes that arrived; send the value again'
  throw checksumMismatch(`${field}: ${description}`, { field }, { badRequest: [{ field, description }] })
}
