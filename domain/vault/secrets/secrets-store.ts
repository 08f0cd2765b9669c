import { secretAlreadyExists } from '../../../output/vault/errors.ts'
import { secretsList } from '../../../output/vault/filters.ts'
import type { Secret } from '../../../output/vault/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The secrets of all workspaces. */
export const secretCollection: Collection<Secret> = {
  name: 'vault_secrets',
  id: 'id',
  list: secretsList,
  // Secrets are always listed below a workspace, so the index of the default order begins with `workspace_id`.
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', crypto_key_id: 'STRING' },
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        secretAlreadyExists(`a secret named ${name} exists in the workspace; choose another name`, {
          resource: { type: 'vault.secrets', name },
        }),
    },
  ],
  indexes: [['crypto_key_id']],
}
