import type { Collection } from '../../ports/store.ts'

/** The vault of an installation: one row, which the first unsealed start creates. */
export interface StoredSafe {
  readonly id: typeof safeId
  /** A random id, which is authenticated with every encrypted item. */
  readonly installation_id: string
  readonly create_time: string
}

/** The id of the only row of `safes`. */
export const safeId = 'safe'

export const safes: Collection<StoredSafe> = { name: 'vault_safes', id: 'id' }

/** A safe key, encrypted under a root key (vault.md 4.1). */
export interface StoredSafeKey {
  /** The number of the key in decimal digits, counted from 1. */
  readonly id: string
  /** The name of the root key in the settings. */
  readonly root_key_id: string
  /** The HMAC-SHA256 of `root_key_id` under the root key, in hex: a wrong root key is recognised by this value. */
  readonly root_key_check: string
  /** The encrypted key, in base64. */
  readonly wrapped: string
  readonly create_time: string
}

export const safeKeys: Collection<StoredSafeKey> = { name: 'vault_safe_keys', id: 'id' }

/** The key of a workspace, encrypted under a safe key; its deletion makes all items of the workspace unreadable. */
export interface StoredWorkspaceKey {
  /** The id of the workspace. */
  readonly id: string
  /** The number of the safe key. */
  readonly safe_key: string
  /** The encrypted key, in base64. */
  readonly wrapped: string
}

export const workspaceKeys: Collection<StoredWorkspaceKey> = { name: 'vault_workspace_keys', id: 'id' }

/** The collections of the seal. */
export const sealCollections: readonly Collection<never>[] = [safes, safeKeys, workspaceKeys]
