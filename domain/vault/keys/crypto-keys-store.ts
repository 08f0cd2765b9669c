import { cryptoKeyAlreadyExists } from '../../../output/vault/errors.ts'
import { cryptoKeysList } from '../../../output/vault/filters.ts'
import type { CryptoKey } from '../../../output/vault/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The crypto keys of all workspaces. A key whose deletion is scheduled stays until its last version is destroyed. */
export const cryptoKeyCollection: Collection<CryptoKey> = {
  name: 'vault_crypto_keys',
  id: 'id',
  list: cryptoKeysList,
  // Crypto keys are always listed below a workspace, so the index of the default order begins with `workspace_id`.
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', state: 'ENUM' },
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        cryptoKeyAlreadyExists(`a crypto key named ${name} exists in the workspace; choose another name`, {
          resource: { type: 'vault.cryptoKeys', name },
        }),
    },
  ],
}
