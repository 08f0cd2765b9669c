import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { requireChecksum } from '../values/checksum.ts'

/**
 * Returns the rule that a checksum needs its member beside it (step 5); `field` is the base64 member of the checksum
 * `<field>_crc32c`.
 */
export const checksumRule = <Field extends string>(field: Field): FormRule =>
  rulesOf<Readonly<Partial<Record<Field | `${Field}_crc32c`, unknown>>>>()([field, `${field}_crc32c`], body =>
    body[field] === undefined && body[`${field}_crc32c`] !== undefined ? [lonely(field)] : [],
  )

/**
 * Returns the bytes of a base64 member; no bytes for an absent member. Throws CHECKSUM_MISMATCH if the checksum beside
 * the member differs.
 */
export function givenBytes(text: string | undefined, checksum: number | undefined, field: string): Buffer {
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
