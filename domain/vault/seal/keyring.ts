import { createHmac, randomFillSync } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { storedDataCorrupt, vaultSealed } from '../../../output/vault/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Reader, Store, Transaction } from '../../ports/store.ts'
import type { CorruptItem } from '../audit/corrupt-activity.ts'
import { decryptBytes, encryptBytes, keySize } from './aead.ts'
import { joinedParts, type ItemPlace } from './item-place.ts'
import { isOpenSafe, readSafe, type ClosedSafe, type OpenSafe, type RootKeys } from './open-safe.ts'
import { workspaceKeys, type StoredWorkspaceKey } from './seal-store.ts'
import { wrapSnapshotKey, type WrappedSnapshotKey } from './snapshot-key.ts'
import { WorkspaceKey } from './workspace-key.ts'

/** The maximal number of unwrapped keys of workspaces that a server keeps in memory. */
const cachedKeys = 1000

/** The seconds after which a caller may retry a call that needs the unsealed vault. */
const retryAfterSeconds = 30

interface CachedKey {
  /** The stored form, by which a replaced key is recognised. */
  readonly wrapped: string
  readonly key: WorkspaceKey
}

/**
 * The keys of the vault in the memory of one server (vault.md 4.1). The keyring is sealed until `unseal`, and stays
 * sealed without a root key or with a wrong root key.
 */
export class Keyring {
  readonly #store: Store
  #roots: RootKeys | undefined
  #safe: OpenSafe | ClosedSafe = { reason: 'the server has not yet opened the vault' }
  readonly #workspaces = new LRUCache<string, CachedKey>({ max: cachedKeys, dispose: ({ key }) => key.wipe() })
  readonly #sealed: (() => void)[] = []
  readonly #alarms: ((item: CorruptItem) => void)[] = []

  constructor(store: Store) {
    this.#store = store
  }

  /** Whether the server has no keys, so that it can neither encrypt nor decrypt. */
  get isSealed(): boolean {
    return !isOpenSafe(this.#safe)
  }

  /** The reason for the seal, for operators; undefined if the vault is unsealed. The reason may name files. */
  get sealedReason(): string | undefined {
    return isOpenSafe(this.#safe) ? undefined : this.#safe.reason
  }

  /** Takes over the unwrapped safe keys. `roots` opens safe keys of a later rotation. */
  unseal(safe: OpenSafe, roots: RootKeys): void {
    this.#safe = safe
    this.#roots = roots
  }

  /** Overwrites all keys; the vault is sealed from now on. `reason` is for operators. */
  seal(reason: string): void {
    const safe = this.#safe
    this.#safe = { reason }
    this.#workspaces.clear()
    for (const sealed of this.#sealed) sealed()
    if (isOpenSafe(safe)) for (const key of safe.keys.values()) key.fill(0)
  }

  /** Calls `sealed` at each seal, for caches of material that the keyring has unwrapped. `sealed` must not throw. */
  onSeal(sealed: () => void): void {
    this.#sealed.push(sealed)
  }

  /** Calls `alarm` for each stored item that is not authentic. `alarm` must neither wait nor throw. */
  onCorrupt(alarm: (item: CorruptItem) => void): void {
    this.#alarms.push(alarm)
  }

  /** Raises the alarm of `onCorrupt` for an error of an item of a workspace, and returns the error. */
  corrupt(workspace: string | undefined, error: ApiError): ApiError {
    for (const alarm of this.#alarms) alarm({ resource: error.details.resource, workspace })
    return error
  }

  /** Throws VAULT_SEALED, with the time of a retry, if the vault is sealed. */
  requireUnsealed(): void {
    this.#open()
  }

  /**
   * Encrypts an item under the key of its workspace, which is created in the transaction of the caller if the workspace
   * has none. Returns printable ASCII. Throws VAULT_SEALED, and STORED_DATA_CORRUPT if the stored key was altered.
   */
  async wrap(tx: Transaction, place: ItemPlace, plain: Uint8Array): Promise<string> {
    const stored = await this.#ensure(tx, place.workspace)
    // No `await` separates the key from its use, because an evicted key is overwritten.
    return this.#watched(place.workspace, () => this.#keyOf(stored).wrap(place, plain))
  }

  /**
   * Returns the bytes that `wrap` has encrypted for the same place; the caller overwrites them after use. Throws
   * VAULT_SEALED, and STORED_DATA_CORRUPT if the item or the stored key was altered or belongs to another place.
   */
  async unwrap(reader: Reader, place: ItemPlace, wrapped: string): Promise<Buffer> {
    const stored = await this.#find(reader, place.workspace)
    return this.#watched(place.workspace, () => this.#keyOf(stored).unwrap(place, wrapped))
  }

  /**
   * Returns a key of 32 bytes for another use in a workspace than items, such as the payloads of capsules; equal for
   * equal labels. The key of the workspace is created if it is absent. Throws as `wrap` does.
   */
  async derive(tx: Transaction, workspace: string, label: string): Promise<Buffer> {
    const stored = await this.#ensure(tx, workspace)
    return this.#watched(workspace, () => this.#keyOf(stored).derive(label))
  }

  /** Overwrites the cached key of a workspace; the next use reads the key again. */
  forget(workspace: string): void {
    this.#workspaces.delete(workspace)
  }

  /** Overwrites all cached keys of workspaces. */
  forgetAll(): void {
    this.#workspaces.clear()
  }

  /**
   * Encrypts bytes of the platform itself under the newest safe key, for one purpose such as `registry.tokenKey`. Throws
   * VAULT_SEALED.
   */
  wrapPlatform(purpose: string, plain: Uint8Array): string {
    const safe = this.#open()
    const { installation, newest } = safe
    const key = purposeKey(safeKeyOf(safe, newest), purpose)
    const body = encryptBytes(key, joinedParts(installation, purpose, newest), plain)
    key.fill(0)
    return `nf1:${newest}:${body.toString('base64')}`
  }

  /**
   * Returns the bytes that `wrapPlatform` has encrypted for the same purpose; the caller overwrites them after use.
   * Throws VAULT_SEALED, and STORED_DATA_CORRUPT for altered bytes and for another purpose.
   */
  async unwrapPlatform(purpose: string, wrapped: string): Promise<Buffer> {
    const [, number = '', body = ''] = /^nf1:([1-9]\d{0,8}):([A-Za-z0-9+/]+={0,2})$/.exec(wrapped) ?? []
    await this.#require(this.#store, number)
    const { installation, keys } = this.#open()
    const safeKey = keys.get(number)
    if (safeKey === undefined) throw this.corrupt(undefined, corruptItem(purpose))
    const key = purposeKey(safeKey, purpose)
    const plain = decryptBytes(key, joinedParts(installation, purpose, number), Buffer.from(body, 'base64'))
    key.fill(0)
    if (plain === undefined) throw this.corrupt(undefined, corruptItem(purpose))
    return plain
  }

  /** Encrypts the key of a new snapshot under the current root key. Throws VAULT_SEALED. */
  wrapSnapshotKey(snapshot: string, key: Uint8Array): WrappedSnapshotKey {
    const { installation } = this.#open()
    if (this.#roots === undefined) throw new Error('an unsealed keyring has root keys')
    return wrapSnapshotKey(this.#roots.current, installation, snapshot, key)
  }

  /** Uses a key of a workspace, and raises the alarm if the key or the item is not authentic. */
  #watched<R>(workspace: string, use: () => R): R {
    try {
      return use()
    } catch (error) {
      const isCorrupt = error instanceof ApiError && error.reason === 'STORED_DATA_CORRUPT'
      throw isCorrupt ? this.corrupt(workspace, error) : error
    }
  }

  #open(): OpenSafe {
    if (isOpenSafe(this.#safe)) return this.#safe
    // The reason may name files of the server, and everyone can redeem a capsule, so the reason is only in the log.
    throw vaultSealed('the vault is sealed; retry later, or ask the operator, whose log has the reason', {
      retryAfterSeconds,
    })
  }

  /** Returns the stored key of a workspace, which is created if it is absent. The safe has the key that opens it. */
  async #ensure(tx: Transaction, workspace: string): Promise<StoredWorkspaceKey> {
    const stored = await tx.get(workspaceKeys, workspace)
    if (stored !== undefined) {
      await this.#require(tx, stored.value.safe_key)
      return stored.value
    }
    const safe = this.#open()
    const key = randomFillSync(Buffer.alloc(keySize))
    const place = keyPlace(safe.installation, workspace, safe.newest)
    const wrapped = encryptBytes(safeKeyOf(safe, safe.newest), place, key).toString('base64')
    key.fill(0)
    // Two transactions that find no key conflict at the insert; the second runs again and finds the key.
    const made = await tx.insert(workspaceKeys, { id: workspace, safe_key: safe.newest, wrapped })
    return made.value
  }

  async #find(reader: Reader, workspace: string): Promise<StoredWorkspaceKey> {
    this.#open()
    const stored = await reader.get(workspaceKeys, workspace)
    if (stored === undefined) throw this.corrupt(workspace, corruptKey(workspace))
    await this.#require(reader, stored.value.safe_key)
    return stored.value
  }

  /** Returns the key of a workspace. Throws VAULT_SEALED if the vault was sealed while the stored key was read. */
  #keyOf({ id, safe_key, wrapped }: StoredWorkspaceKey): WorkspaceKey {
    const { installation, keys } = this.#open()
    const cached = this.#workspaces.get(id)
    if (cached?.wrapped === wrapped) return cached.key
    const safeKey = keys.get(safe_key)
    const place = keyPlace(installation, id, safe_key)
    const bytes = safeKey && decryptBytes(safeKey, place, Buffer.from(wrapped, 'base64'))
    if (bytes === undefined) throw corruptKey(id)
    const key = new WorkspaceKey(installation, bytes)
    this.#workspaces.set(id, { wrapped, key })
    return key
  }

  /**
   * Reads the safe again if it has no key of this number: another server may have rotated the root key. A server
   * without the new root key is sealed from then on. Callers take the safe from `#open` without an `await` before its
   * use, because a seal overwrites the keys.
   */
  async #require(reader: Reader, number: string): Promise<void> {
    const safe = this.#open()
    if (number === '' || safe.keys.has(number) || this.#roots === undefined) return
    const read = await readSafe(reader, this.#roots)
    this.#open()
    if (isOpenSafe(read)) this.#safe = read
    else this.seal(read.reason)
  }
}

function safeKeyOf({ keys }: OpenSafe, number: string): Buffer {
  const key = keys.get(number)
  if (key === undefined) throw new Error(`the keyring has no safe key ${number}`)
  return key
}

const purposeKey = (safeKey: Buffer, purpose: string): Buffer =>
  createHmac('sha256', safeKey).update('nf-vault-platform-v1\0').update(purpose).digest()

const keyPlace = (installation: string, workspace: string, safeKey: string): Buffer =>
  joinedParts(installation, 'nf-vault-workspace-key-v1', workspace, safeKey)

const corruptKey = (workspace: string) =>
  storedDataCorrupt(`the stored key of workspace ${workspace} is not authentic; restore it from a backup`, {
    resource: { type: 'taxonomy.workspaces', name: workspace },
  })

const corruptItem = (purpose: string) =>
  storedDataCorrupt(`the stored data for ${purpose} is not authentic; restore it from a backup`)
