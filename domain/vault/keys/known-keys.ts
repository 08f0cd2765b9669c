import { LRUCache } from 'lru-cache'
import type { CryptoKey } from '../../../output/vault/types.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import type { KeyChanges } from '../seal/key-changes.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import { isInState, keyVersionCollection, keyVersionRowId, type StoredKeyVersion } from './key-versions-store.ts'

/** The maximal number of rows of each kind that a server keeps in memory. */
const maxRows = 1000

/**
 * Caches the rows of crypto keys and versions, without key material, that are ENABLED, so that a use of a key needs no
 * read. A row that becomes usable therefore needs no notice. Every transaction that ends the use of a key or version,
 * or changes the primary version, records the change in `KeyChanges`.
 */
export class KnownKeys {
  readonly #keys = new LRUCache<string, Stored<CryptoKey>>({ max: maxRows })
  /** The versions, keyed by row id: `<key>/versions/<number>`. */
  readonly #versions = new LRUCache<string, Stored<StoredKeyVersion>>({ max: maxRows })
  /** The number of changes so far. A row whose read began before the last change is not cached. */
  #changes = 0

  constructor(changes: KeyChanges) {
    changes.listen({ changed: key => this.#forget(key), reset: () => this.#clear() })
  }

  /** The number of cached rows. */
  get cached(): number {
    return this.#keys.size + this.#versions.size
  }

  /** Returns a crypto key; undefined if the key does not exist. */
  async key(reader: Reader, id: string): Promise<Stored<CryptoKey> | undefined> {
    const known = this.#keys.get(id)
    if (known) return known
    const changes = this.#changes
    const stored = await reader.get(cryptoKeyCollection, id)
    const isKept = stored?.value.state === 'VAULT_CRYPTO_KEY_STATE_ENABLED' && changes === this.#changes
    if (isKept) this.#keys.set(id, stored)
    return stored
  }

  /** Returns a version of a crypto key by its number; undefined if the version does not exist. */
  async version(reader: Reader, key: string, number: string): Promise<Stored<StoredKeyVersion> | undefined> {
    const id = keyVersionRowId(key, number)
    const known = this.#versions.get(id)
    if (known) return known
    const changes = this.#changes
    const stored = await reader.get(keyVersionCollection, id)
    const isKept = stored && isInState(stored.value, 'ENABLED') && changes === this.#changes
    if (isKept) this.#versions.set(id, stored)
    return stored
  }

  /** Drops the rows of a crypto key: `change` is `cryptoKeys/<id>`, or the key of another change. */
  #forget(change: string): void {
    const [kind, id = ''] = change.split('/')
    if (kind === 'workspaces') this.#clear()
    if (kind !== 'cryptoKeys') return
    this.#changes += 1
    this.#keys.delete(id)
    for (const row of this.#versions.keys()) if (row.startsWith(`${id}/`)) this.#versions.delete(row)
  }

  #clear(): void {
    this.#changes += 1
    this.#keys.clear()
    this.#versions.clear()
  }
}
