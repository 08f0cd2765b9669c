import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { storedDataCorrupt } from '../../../output/vault/errors.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import type { ItemPlace } from '../seal/item-place.ts'
import type { KeyChanges } from '../seal/key-changes.ts'
import type { Keyring } from '../seal/keyring.ts'
import { schemeOf } from './key-form.ts'
import { materialCollection, type StoredKeyVersion } from './key-versions-store.ts'
import { privateKeyOf } from './material.ts'

/** The maximal number of versions whose material a server keeps in memory. */
const cachedMaterials = 1000

/** The material of a version in memory: the bytes of a symmetric key, or a private key. */
export type OpenMaterial = Buffer | KeyObject

/** The members of a version that name its material. */
export type MaterialOwner = Pick<StoredKeyVersion, 'row_id' | 'id' | 'crypto_key_id' | 'workspace_id' | 'algorithm'>

/**
 * The key material of all versions: stored encrypted by the keyring, and cached unwrapped. The bytes of symmetric keys
 * are overwritten when an entry leaves the cache; Node.js offers no way to overwrite a `KeyObject`.
 */
export class Materials {
  readonly #keyring: Keyring
  readonly #open = new LRUCache<string, OpenMaterial>({ max: cachedMaterials, dispose: wipe })
  /** The number of times that entries were removed because they must not be used any more. */
  #removals = 0

  constructor(keyring: Keyring, changes: KeyChanges) {
    this.#keyring = keyring
    changes.listen({ changed: key => this.#forget(key), reset: () => this.#clear() })
    keyring.onSeal(() => this.#clear())
  }

  /** The number of versions whose material is in memory. */
  get cached(): number {
    return this.#open.size
  }

  /** Stores the material of a new version, encrypted. Throws VAULT_SEALED. */
  async add(tx: Transaction, version: MaterialOwner, secret: Uint8Array): Promise<void> {
    const { crypto_key_id, row_id: id, workspace_id } = version
    const wrapped = await this.#keyring.wrap(tx, placeOf(version), secret)
    await tx.insert(materialCollection, { id, crypto_key_id, workspace_id, wrapped })
  }

  /**
   * Calls `use` with the material of a version; `use` must not wait, because an evicted key is overwritten. Throws
   * VAULT_SEALED, and STORED_DATA_CORRUPT if the material is absent or was altered.
   */
  async use<R>(reader: Reader, version: MaterialOwner, use: (material: OpenMaterial) => R): Promise<R> {
    this.#keyring.requireUnsealed()
    const known = this.#open.get(version.row_id)
    if (known !== undefined) return use(known)
    const removals = this.#removals
    const stored = await reader.get(materialCollection, version.row_id)
    if (stored === undefined) throw this.#keyring.corrupt(version.workspace_id, corrupt(version))
    const secret = await this.#keyring.unwrap(reader, placeOf(version), stored.value.wrapped)
    const material = opened(version, secret)
    // Material that was read before a removal may belong to a destroyed version or a sealed vault: it is not kept.
    const isKept = removals === this.#removals
    if (isKept) this.#open.set(version.row_id, material)
    try {
      return use(material)
    } finally {
      if (!isKept) wipe(material)
    }
  }

  /** Deletes the material of a version, if it exists. The caller informs all servers (`KeyChanges`). */
  async remove(tx: Transaction, id: string): Promise<void> {
    const stored = await tx.get(materialCollection, id)
    if (stored) await tx.delete(materialCollection, id, stored.version)
  }

  /** Overwrites the cached material of a crypto key: `key` is `cryptoKeys/<id>`, or the key of another change. */
  #forget(key: string): void {
    const [kind, id] = key.split('/')
    if (kind === 'workspaces') this.#clear()
    if (kind !== 'cryptoKeys') return
    this.#removals += 1
    for (const row of this.#open.keys()) if (row.startsWith(`${id}/`)) this.#open.delete(row)
  }

  #clear(): void {
    this.#removals += 1
    this.#open.clear()
  }
}

function opened(version: MaterialOwner, secret: Buffer): OpenMaterial {
  const { kind } = schemeOf(version.algorithm)
  if (kind === 'cipher' || kind === 'mac') return secret
  try {
    return privateKeyOf(secret)
  } catch {
    throw corrupt(version)
  } finally {
    secret.fill(0)
  }
}

function wipe(material: OpenMaterial): void {
  if (Buffer.isBuffer(material)) material.fill(0)
}

const placeOf = ({ crypto_key_id, id, workspace_id }: MaterialOwner): ItemPlace => ({
  workspace: workspace_id,
  type: 'vault.cryptoKeyVersions',
  id: crypto_key_id,
  version: id,
})

const corrupt = ({ row_id }: MaterialOwner) =>
  storedDataCorrupt(`the key material of ${row_id} cannot be read; ask the operator to run the doctor`, {
    resource: { type: 'vault.cryptoKeyVersions', name: row_id },
  })
