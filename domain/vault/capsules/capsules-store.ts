import { capsuleAlreadyExists } from '../../../output/vault/errors.ts'
import { capsulesList } from '../../../output/vault/filters.ts'
import type { Capsule, CapsuleState } from '../../../output/vault/types.ts'
import type { Collection } from '../../ports/store.ts'

/** A capsule as it is stored, without its payload and its token. */
export type StoredCapsule = Capsule & {
  readonly expire_time: string
  /** The SHA-256 of the token in hex. */
  readonly token_sha256: string
  /** The salt of the passphrase in base64; empty for a capsule without a passphrase. */
  readonly salt: string
}

/** The states of capsules without the prefix of the enum. */
export type ShortState = 'ACTIVE' | 'REDEEMED' | 'REVOKED' | 'EXPIRED' | 'LOCKED'

/** Returns the value of the enum. */
export const capsuleState = (state: ShortState): CapsuleState => `VAULT_CAPSULE_STATE_${state}`

/** The capsules of all workspaces. Capsules that cannot be redeemed any more are kept for 90 days. */
export const capsuleCollection: Collection<StoredCapsule> = {
  name: 'vault_capsules',
  id: 'id',
  list: capsulesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', state: 'ENUM' },
  hidden: ['token_sha256', 'salt'],
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        capsuleAlreadyExists(`a capsule named ${name} exists in the workspace; choose another name`, {
          resource: { type: 'vault.capsules', name },
        }),
    },
  ],
  indexes: [['workspace_id', 'state']],
}

/** The encrypted payload of a capsule; the end of the capsule deletes the row. */
export interface StoredCapsulePayload {
  /** The id of the capsule. */
  readonly id: string
  readonly workspace_id: string
  /** The payload in base64, encrypted under a key that only the token and the vault give together. */
  readonly sealed: string
}

/** The encrypted payloads of all active capsules. */
export const capsulePayloads: Collection<StoredCapsulePayload> = {
  name: 'vault_capsule_payloads',
  id: 'id',
  columns: { workspace_id: 'STRING' },
  indexes: [['workspace_id']],
}
