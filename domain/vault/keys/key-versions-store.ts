import { cryptoKeyVersionsList } from '../../../output/vault/filters.ts'
import type { CryptoKeyVersion, CryptoKeyVersionState } from '../../../output/vault/types.ts'
import type { Collection } from '../../ports/store.ts'

/** A version as it is stored, without its key material. */
export type StoredKeyVersion = CryptoKeyVersion & {
  /** The id `<crypto key id>/versions/<number>`, which is unique among the versions of all keys. */
  readonly row_id: string
  readonly workspace_id: string
  /** The operation that generates the material; empty if no operation does. */
  readonly operation_id: string
}

/** The states of versions without the prefix of the enum. */
export type ShortState =
  'PENDING_GENERATION' | 'ENABLED' | 'DISABLED' | 'DESTROY_SCHEDULED' | 'DESTROYED' | 'GENERATION_FAILED'

/** Returns the value of the enum. */
export const versionState = (state: ShortState): CryptoKeyVersionState => `VAULT_CRYPTO_KEY_VERSION_STATE_${state}`

/** Whether a version is in one of the states. */
export const isInState = ({ state }: Pick<CryptoKeyVersion, 'state'>, ...states: readonly ShortState[]): boolean =>
  states.some(short => versionState(short) === state)

/** Returns the row id of a version, which is also the id in operations and agendas. */
export const keyVersionRowId = (key: string, number: string): string => `${key}/versions/${number}`

/** The versions of all crypto keys. Destroyed versions stay until their key is removed. */
export const keyVersionCollection: Collection<StoredKeyVersion> = {
  name: 'vault_crypto_key_versions',
  id: 'row_id',
  list: cryptoKeyVersionsList,
  listedBelow: 'crypto_key_id',
  columns: { crypto_key_id: 'STRING', workspace_id: 'STRING', state: 'ENUM' },
  hidden: ['row_id', 'workspace_id', 'operation_id'],
  indexes: [['workspace_id'], ['crypto_key_id', 'state']],
}

/** The encrypted key material of a version; the destruction of the version deletes the row. */
export interface StoredMaterial {
  /** The row id of the version. */
  readonly id: string
  readonly crypto_key_id: string
  readonly workspace_id: string
  /** The material in the form of `Keyring.wrap`. */
  readonly wrapped: string
}

/** The encrypted key material of all versions. */
export const materialCollection: Collection<StoredMaterial> = {
  name: 'vault_crypto_key_materials',
  id: 'id',
  columns: { crypto_key_id: 'STRING', workspace_id: 'STRING' },
  indexes: [['crypto_key_id'], ['workspace_id']],
}
