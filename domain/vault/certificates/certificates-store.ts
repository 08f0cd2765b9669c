import { certificateAlreadyExists } from '../../../output/vault/errors.ts'
import { certificatesList } from '../../../output/vault/filters.ts'
import type { Certificate, CertificateState } from '../../../output/vault/types.ts'
import { Conflict, type Collection } from '../../ports/store.ts'

/**
 * A certificate as it is stored. A stored ACTIVE stays until a worker records the expiry; callers see the state by the
 * clock.
 */
export type StoredCertificate = Certificate & {
  /** A copy of the template by which the certificate was issued: base64 of its JSON; empty without a template. */
  readonly template_copy: string
}

/** The states of certificates without the prefix of the enum. */
export type ShortCertificateState = 'ACTIVE' | 'REVOKED' | 'EXPIRED'

/** Returns the value of the enum. */
export const certificateState = (state: ShortCertificateState): CertificateState => `VAULT_CERTIFICATE_STATE_${state}`

/** The certificates of all authorities. No call deletes a certificate. */
export const certificateCollection: Collection<StoredCertificate> = {
  name: 'vault_certificates',
  id: 'id',
  list: certificatesList,
  listedBelow: 'certificate_authority_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', certificate_authority_id: 'STRING', state: 'ENUM' },
  hidden: ['template_copy'],
  uniques: [
    {
      fields: ['certificate_authority_id', 'name'],
      taken: ({ name }) =>
        certificateAlreadyExists(`the authority has a certificate named ${name}; choose another name`, {
          resource: { type: 'vault.certificates', name },
        }),
    },
    {
      fields: ['certificate_authority_id', 'serial_number'],
      taken: ({ serial_number }) => new Conflict(`the authority has issued the serial number ${serial_number} before`),
    },
  ],
  indexes: [
    ['workspace_id'],
    ['certificate_authority_id', 'not_after_time'],
    ['certificate_authority_id', 'state', 'create_time'],
    ['certificate_authority_id', 'state', 'not_after_time'],
  ],
}
