import type { RevocationReason } from '../../../output/vault/types.ts'
import { extension, integer, tag, time, value } from './der.ts'

/** A revoked certificate, as a revocation list names it. */
export interface RevokedSerial {
  /** The serial number in hex. */
  readonly serial_number: string
  readonly reason: RevocationReason
  readonly revoke_time: string
}

/** The numbers of the reasons (RFC 5280, 5.3.1). UNSPECIFIED has none, because a list leaves it out. */
const reasonCodes: Partial<Record<RevocationReason, number>> = {
  VAULT_REVOCATION_REASON_KEY_COMPROMISE: 1,
  VAULT_REVOCATION_REASON_CA_COMPROMISE: 2,
  VAULT_REVOCATION_REASON_AFFILIATION_CHANGED: 3,
  VAULT_REVOCATION_REASON_SUPERSEDED: 4,
  VAULT_REVOCATION_REASON_CESSATION_OF_OPERATION: 5,
  VAULT_REVOCATION_REASON_PRIVILEGE_WITHDRAWN: 9,
}

/** The object identifier 2.5.29.21 of the reason of an entry. */
const reasonCodeOid = Buffer.of(tag.oid, 3, 0x55, 0x1d, 0x15)

const none = Buffer.alloc(0)

/** The extensions of an entry, keyed by reason. */
const reasonExtensions = new Map(
  Object.entries(reasonCodes).map(([reason, code]) => [
    reason,
    value(tag.sequence, extension(reasonCodeOid, Buffer.of(tag.enumerated, 1, code))),
  ]),
)

/** Returns an entry of a revocation list in DER. */
export function listEntry({ reason, revoke_time, serial_number }: RevokedSerial): Buffer {
  const serial = integer(Buffer.from(serial_number, 'hex'))
  return value(tag.sequence, serial, time(Date.parse(revoke_time)), reasonExtensions.get(reason) ?? none)
}
