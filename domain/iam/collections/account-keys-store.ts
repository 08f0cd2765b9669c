import type { ServiceAccountKey } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The public key of a key pair of a service account. The row of the account lists its keys without the PEM text. */
export interface StoredAccountKey extends Readonly<Omit<ServiceAccountKey, 'key_id'>> {
  /** The key id. */
  readonly id: string
  readonly account_id: string
  /** The public key, a SubjectPublicKeyInfo as PEM. */
  readonly public_key: string
}

export const accountKeys: Collection<StoredAccountKey> = {
  name: 'iam_account_keys',
  id: 'id',
  columns: { account_id: 'STRING' },
  indexes: [['account_id']],
}

/** A used assertion. The row prevents a second use, and is kept until the assertion expires. */
export interface SpentAssertion {
  /** The SHA-256 of account and `jti`, in hex. */
  readonly id: string
  readonly expire_time: string
}

export const spentAssertions: Collection<SpentAssertion> = {
  name: 'iam_assertions',
  id: 'id',
  columns: { expire_time: 'TIMESTAMP' },
  indexes: [['expire_time']],
}
