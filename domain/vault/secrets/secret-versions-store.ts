import { secretVersionsList } from '../../../output/vault/filters.ts'
import type { SecretVersion } from '../../../output/vault/types.ts'
import type { Collection } from '../../ports/store.ts'

/** A version as it is stored, without its payload. */
export type StoredSecretVersion = Omit<SecretVersion, 'payload'> & {
  /** The id `<secret id>/versions/<number>`, which is unique among the versions of all secrets. */
  readonly row_id: string
  readonly workspace_id: string
}

/** Returns the row id of a version, which is also the id in operations and agendas. */
export const versionRowId = (parent: string, number: string): string => `${parent}/versions/${number}`

/** The versions of all secrets. Destroyed versions stay until their secret is deleted. */
export const secretVersionCollection: Collection<StoredSecretVersion> = {
  name: 'vault_secret_versions',
  id: 'row_id',
  list: secretVersionsList,
  listedBelow: 'secret_id',
  columns: { secret_id: 'STRING', workspace_id: 'STRING', state: 'ENUM' },
  hidden: ['row_id', 'workspace_id'],
  indexes: [['workspace_id'], ['secret_id', 'state']],
}

/** The encrypted payload of a version; the destruction of the version deletes the row. */
export interface StoredPayload {
  /** The row id of the version. */
  readonly id: string
  readonly secret_id: string
  readonly workspace_id: string
  /** The payload in the form of `Keyring.wrap`. */
  readonly wrapped: string
  /** The crypto key and its version that encrypt the payload in addition; both are empty for none. */
  readonly crypto_key_id: string
  readonly crypto_key_version: string
}

/** The encrypted payloads of all versions. */
export const payloadCollection: Collection<StoredPayload> = {
  name: 'vault_secret_payloads',
  id: 'id',
  columns: { secret_id: 'STRING', workspace_id: 'STRING', crypto_key_id: 'STRING', crypto_key_version: 'STRING' },
  indexes: [['secret_id'], ['workspace_id'], ['crypto_key_id', 'crypto_key_version']],
}
