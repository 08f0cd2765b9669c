import { caAlreadyExists, cryptoKeyInUse } from '../../../output/vault/errors.ts'
import { certificateAuthoritiesList } from '../../../output/vault/filters.ts'
import type { CertificateAuthority, CertificateAuthorityState } from '../../../output/vault/types.ts'
import type { Collection } from '../../ports/store.ts'

/**
 * A certificate authority as it is stored. A stored ENABLED or AWAITING_ACTIVATION stays until a worker records the
 * expiry; callers see the state by the clock.
 */
export type StoredAuthority = CertificateAuthority & {
  readonly name: string
  /** The number of the pinned version of `crypto_key_id`; empty for a key of the authority itself. */
  readonly crypto_key_version: string
  /** The row id of the version whose material signs, `<crypto key id or authority id>/versions/<number>`. */
  readonly key_row_id: string
  /** The operation that generates the key or signs the certificate after the answer; empty for none. */
  readonly operation_id: string
}

/** The states of certificate authorities without the prefix of the enum. */
export type ShortAuthorityState = 'CREATING' | 'AWAITING_ACTIVATION' | 'ENABLED' | 'REVOKED' | 'EXPIRED' | 'FAILED'

/** Returns the value of the enum. */
export const authorityState = (state: ShortAuthorityState): CertificateAuthorityState =>
  `VAULT_CERTIFICATE_AUTHORITY_STATE_${state}`

/** The certificate authorities of all workspaces. No call deletes an authority. */
export const authorityCollection: Collection<StoredAuthority> = {
  name: 'vault_certificate_authorities',
  id: 'id',
  list: certificateAuthoritiesList,
  listedBelow: 'workspace_id',
  columns: {
    workspace_id: 'STRING',
    engine: 'STRING',
    state: 'ENUM',
    key_row_id: 'STRING',
    parent_certificate_authority_id: 'STRING',
  },
  hidden: ['crypto_key_version', 'key_row_id', 'operation_id'],
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        caAlreadyExists(`a certificate authority named ${name} exists in the workspace; choose another name`, {
          resource: { type: 'vault.certificateAuthorities', name },
        }),
    },
    {
      fields: ['key_row_id'],
      taken: ({ key_row_id }) =>
        cryptoKeyInUse(`version ${key_row_id} is the key of another certificate authority; rotate the crypto key`, {
          resource: { type: 'vault.cryptoKeyVersions', name: key_row_id },
          precondition: [
            { type: 'vault.certificateAuthorities', subject: key_row_id, description: 'one authority a version' },
          ],
        }),
    },
  ],
  indexes: [['parent_certificate_authority_id']],
}
