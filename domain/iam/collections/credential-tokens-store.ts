import type { CredentialDelivery, CredentialPurpose } from '../../../output/iam/types.ts'
import type { FilterField } from '../../../runtime/filter/types.ts'
import type { Collection } from '../../ports/store.ts'

/** A token that a password is set with, once (iam.md 4.7). The token itself is nowhere. */
export interface StoredCredentialToken {
  /** SHA-256 of the token, in hex. */
  readonly id: string
  readonly user_id: string
  readonly purpose: CredentialPurpose
  /** SPENT by its use; VOID by a newer one, by a deactivation or a change of the address. */
  readonly status: 'LIVE' | 'SPENT' | 'VOID'
  /** The principal to whom RETURN answered it. */
  readonly minted_by: string
  /** How it got to its user; HOST: printed or written on the machine of the server. */
  readonly delivery: CredentialDelivery | 'HOST'
  readonly created: string
  readonly expire_time: string
}

/** By which expired tokens are swept. */
export const tokenExpireTime: FilterField = {
  name: 'expire_time',
  type: 'TIMESTAMP',
  operators: ['<'],
  sortable: true,
}

/** One that has expired is as good as none, so it is swept from then on. */
export const credentialTokens: Collection<StoredCredentialToken> = {
  name: 'iam_credential_tokens',
  id: 'id',
  list: { fields: [tokenExpireTime], defaultOrder: 'expire_time', key: 'id' },
  columns: { user_id: 'STRING', status: 'STRING' },
  indexes: [['user_id', 'status']],
}
