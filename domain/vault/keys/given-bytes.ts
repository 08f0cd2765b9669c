import type { FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { requireChecksum } from '../values/crc32c.ts'

/**
 * Returns the bytes of a base64 member; no bytes for an absent member. Throws CHECKSUM_MISMATCH if the checksum beside
 * the member differs, and FIELD_INVALID for a checksum of an absent member.
 */
export function givenBytes(text: string | undefined, checksum: number | undefined, field: string): Buffer {
  if (text === undefined && checksum !== undefined) throw fieldInvalid([lonely(field)])
  const bytes = Buffer.from(text ?? '', 'base64')
  requireChecksum(bytes, checksum, `${field}_crc32c`)
  return bytes
}

/** Checks the checksum of a text that is not base64, such as a ciphertext. */
export function checkText(text: string, checksum: number | undefined, field: string): void {
  requireChecksum(Buffer.from(text), checksum, `${field}_crc32c`)
}

const lonely = (field: string): FieldViolation => ({
  field: `${field}_crc32c`,
  description: `is the checksum of ${field}, which is absent; leave it out`,
})
