import type { CredentialDelivery, CredentialPurpose } from '../../../output/iam/types.ts'
import type { FilterField } from '../../../runtime/filter/types.ts'
import type { Collection } from '../../ports/store.ts'

/** A single-use token for setting a password (iam.md 4.7). Only the digest of the token is stored. */
export interface StoredCredentialToken {
  /** The SHA-256 of the token, in hex. */
  readonly id: string
  readonly user_id: string
  readonly purpose: CredentialPurpose
  /**
   * The status: LIVE while the token may be used, SPENT after its use, VOID after a newer token, a deactivation or a
   * change of the address. An expired token stays LIVE.
   */
  readonly status: 'LIVE' | 'SPENT' | 'VOID'
  /** The principal whose request created the token; empty if the server itself created the token. */
  readonly minted_by: string
  /** The way in which the token was delivered. HOST: printed or written on the machine of the server. */
  readonly delivery: CredentialDelivery | 'HOST'
  readonly created: string
  readonly expire_time: string
}

/** The field by which the sweep finds expired tokens. */
export const tokenExpireTime: FilterField = {
  name: 'expire_time',
  type: 'TIMESTAMP',
  operators: ['<'],
  sortable: true,
}

/** The tokens for setting passwords. An expired token is useless, so the sweep deletes a token from its expiry on. */
export const credentialTokens: Collection<StoredCredentialToken> = {
  name: 'iam_credential_tokens',
  id: 'id',
  list: { fields: [tokenExpireTime], defaultOrder: 'expire_time', key: 'id' },
  columns: { user_id: 'STRING', status: 'STRING' },
  indexes: [['user_id', 'status']],
}
