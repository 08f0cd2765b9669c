import { randomFillSync } from 'node:crypto'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Reader, Store, Transaction } from '../../ports/store.ts'
import { keySize } from './aead.ts'
import { isRootOf, unwrapSafeKey, wrapSafeKey, type RootKey } from './root-key.ts'
import { safeId, safeKeys, safes, workspaceKeys, type StoredSafe, type StoredSafeKey } from './seal-store.ts'

/** The root keys in the settings of a server. */
export interface RootKeys {
  readonly current: RootKey
  /** The root key before the last rotation; absent without a rotation. */
  readonly previous?: RootKey | undefined
}

/** The unwrapped safe keys of an installation. */
export interface OpenSafe {
  readonly installation: string
  /** The keys of 32 bytes, keyed by number. */
  readonly keys: ReadonlyMap<string, Buffer>
  /** The number of the newest key, which encrypts new items. */
  readonly newest: string
}

/** The reason, for people, why root keys do not open the vault. */
export interface ClosedSafe {
  readonly reason: string
}

type Opened = OpenSafe | ClosedSafe

/** True if the keys of the vault could be opened. */
export const isOpenSafe = (opened: Opened): opened is OpenSafe => 'keys' in opened

/**
 * Opens the vault of a store: creates the safe of a store without a vault, and encrypts the safe keys of a former root
 * key under the current root key, with one new safe key (vault.md 4.1). All of this is one transaction, so two servers
 * that start concurrently create one safe, and a killed server leaves either all or nothing.
 */
export function openSafe(store: Store, clock: Clock, roots: RootKeys): Promise<Opened> {
  const installation = clock.newId()
  const fresh = randomKey()
  return store.tx(async tx => {
    const safe = (await tx.lock(safes, safeId))?.value
    const time = formatMillis(clock.now())
    if (safe === undefined)
      return createSafe(tx, roots.current, fresh, { id: safeId, installation_id: installation, create_time: time })
    const opened = await readSafe(tx, roots)
    if (!isOpenSafe(opened)) return opened
    return rotateRoot(tx, opened, roots.current, fresh, time)
  })
}

/** Reads the safe keys without a change, for a server that meets a safe key of a later rotation. */
export async function readSafe(reader: Reader, { current, previous }: RootKeys): Promise<Opened> {
  const safe = await reader.get(safes, safeId)
  if (safe === undefined) return { reason: 'the store has no vault' }
  const installation = safe.value.installation_id
  const roots = previous === undefined ? [current] : [current, previous]
  const keys = new Map<string, Buffer>()
  for await (const { value } of reader.each(safeKeys)) {
    const root = roots.find(candidate => isRootOf(candidate, value))
    if (root === undefined) return { reason: wrongKey(value, current) }
    const key = unwrapSafeKey(root, installation, value)
    if (key === undefined) return { reason: `the stored safe key ${value.id} is damaged; restore it from a backup` }
    keys.set(value.id, key)
  }
  const newest = Math.max(0, ...[...keys.keys()].map(Number))
  if (newest === 0) return { reason: 'the store has lost the safe keys of the vault; restore it from a backup' }
  return { installation, keys, newest: String(newest) }
}

const wrongKey = ({ root_key_id }: StoredSafeKey, current: RootKey): string =>
  `the root key of the settings (its name is "${current.id}") is not the key under which the vault is encrypted (its ` +
  `name was "${root_key_id}"); set vault.seal.current_key to that key, or set vault.seal.previous_key to it for a rotation`

/** Creates the safe with its first key. Returns the reason if the store has keys of workspaces without their safe. */
async function createSafe(tx: Transaction, root: RootKey, key: Buffer, safe: StoredSafe): Promise<Opened> {
  // The insertion comes first: a server that starts concurrently then waits, or finds this safe with its keys.
  const { version } = await tx.insert(safes, safe)
  const hasKeys = (await tx.count(safeKeys)) > 0 || (await tx.count(workspaceKeys)) > 0
  if (hasKeys) {
    await tx.delete(safes, safeId, version)
    return { reason: 'the store has keys of the vault but has lost its safe; restore it from a backup' }
  }
  const first = { id: '1', create_time: safe.create_time }
  await tx.insert(safeKeys, wrapSafeKey(root, safe.installation_id, key, first))
  return { installation: safe.installation_id, keys: new Map([[first.id, key]]), newest: first.id }
}

/** Encrypts the safe keys under the current root key, if another root key encrypts some of them. */
async function rotateRoot(
  tx: Transaction,
  safe: OpenSafe,
  root: RootKey,
  fresh: Buffer,
  time: string,
): Promise<OpenSafe> {
  let isRotated = false
  for await (const { id, value, version } of tx.each(safeKeys)) {
    const key = safe.keys.get(id)
    if (key === undefined || (isRootOf(root, value) && value.root_key_id === root.id)) continue
    isRotated ||= !isRootOf(root, value)
    const row = { id, create_time: value.create_time }
    await tx.update(safeKeys, id, wrapSafeKey(root, safe.installation, key, row), version)
  }
  if (!isRotated) return safe
  const newest = String(Number(safe.newest) + 1)
  await tx.insert(safeKeys, wrapSafeKey(root, safe.installation, fresh, { id: newest, create_time: time }))
  return { ...safe, keys: new Map([...safe.keys, [newest, fresh]]), newest }
}

const randomKey = (): Buffer => randomFillSync(Buffer.alloc(keySize))
