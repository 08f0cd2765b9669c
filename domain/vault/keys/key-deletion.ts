import type { VaultArea } from '../../../output/vault/area.ts'
import type { CryptoKey } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { forgetRow } from '../../resources/references.ts'
import { requireUnused, type VerbChange } from '../../resources/resources.ts'
import type { VaultEnvironment } from '../environment.ts'
import { durationMs } from '../values/durations.ts'
import { clearAgenda, setAgenda } from '../work/agenda.ts'
import { cryptoKeyKind } from './crypto-key-kind.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import {
  isInState,
  keyVersionCollection,
  materialCollection,
  versionState,
  type StoredKeyVersion,
} from './key-versions-store.ts'

type Parts = Pick<VaultEnvironment, 'changes' | 'materials' | 'operations' | 'taxonomy'>

/**
 * Schedules the destruction of all versions of a key, whose row is locked and is written by the caller. Versions without
 * material are destroyed at once. Throws CRYPTO_KEY_IN_USE if a secret refers to the key.
 */
export async function scheduleDeletion(
  parts: Parts,
  tx: Transaction,
  key: CryptoKey,
  now: number,
): Promise<VerbChange<CryptoKey, VaultArea>> {
  await requireUnused(tx, cryptoKeyKind, key)
  const planned = formatMillis(now + durationMs(key.destroy_scheduled_duration))
  const times: string[] = []
  let row = ''
  for await (const version of tx.each(keyVersionCollection, { crypto_key_id: key.id })) {
    const time = await endVersion(parts, tx, version, planned, now)
    if (time !== undefined) times.push(time)
    row = version.id
  }
  await setAgenda(tx, 'cryptoKeys.rotate', key, undefined)
  const last = times.toSorted().at(-1)
  // Without a version that is still to be destroyed, the worker of the agenda removes the key in its next run.
  const delete_time = last ?? formatMillis(now)
  if (last === undefined)
    await setAgenda(tx, 'cryptoKeyVersions.destroy', { id: row, workspace_id: key.workspace_id }, delete_time)
  await parts.changes.revise(tx, `cryptoKeys/${key.id}`)
  return { members: { delete_time, etag: nextEtag(key.etag) } }
}

/** Ends one version of a key that is going to be deleted. Returns the time of its destruction, if it is in the future. */
async function endVersion(
  parts: Parts,
  tx: Transaction,
  { id, value, version }: Stored<StoredKeyVersion>,
  planned: string,
  now: number,
): Promise<string | undefined> {
  if (isInState(value, 'DESTROYED')) return undefined
  if (isInState(value, 'DESTROY_SCHEDULED')) return value.destroy_time
  if (isInState(value, 'ENABLED', 'DISABLED')) {
    await tx.update(keyVersionCollection, id, scheduled(value, planned, now), version)
    await setAgenda(tx, 'cryptoKeyVersions.destroy', { id, workspace_id: value.workspace_id }, planned)
    return planned
  }
  if (value.operation_id !== '') await parts.operations.cancel(tx, value.operation_id, 'the crypto key was deleted')
  await tx.update(keyVersionCollection, id, destroyed(value, now), version)
  return undefined
}

/** Returns a version whose destruction is scheduled. */
export const scheduled = (version: StoredKeyVersion, destroy_time: string, now: number): StoredKeyVersion => ({
  ...version,
  state: versionState('DESTROY_SCHEDULED'),
  destroy_time,
  etag: nextEtag(version.etag),
  update_time: formatMillis(now),
})

/** Returns a destroyed version. */
export function destroyed({ destroy_time: _planned, ...version }: StoredKeyVersion, now: number): StoredKeyVersion {
  const time = formatMillis(now)
  return {
    ...version,
    operation_id: '',
    state: versionState('DESTROYED'),
    destroy_event_time: time,
    etag: nextEtag(version.etag),
    update_time: time,
  }
}

/**
 * Deletes a key with its versions, its material and its due work. The transaction has shared the organisation and locked
 * the key.
 */
export async function removeKey(
  parts: Parts,
  tx: Transaction,
  { id, value, version }: Stored<CryptoKey>,
): Promise<void> {
  for await (const row of tx.each(materialCollection, { crypto_key_id: id }))
    await tx.delete(materialCollection, row.id, row.version)
  for await (const row of tx.each(keyVersionCollection, { crypto_key_id: id })) {
    await clearAgenda(tx, row.id)
    await tx.delete(keyVersionCollection, row.id, row.version)
  }
  await clearAgenda(tx, id)
  await forgetRow(tx, { type: cryptoKeyKind.type, id })
  await tx.delete(cryptoKeyCollection, id, version)
  await parts.taxonomy.consume(tx, value.workspace_id, [{ quota: 'vault.cryptoKeys', amount: -1 }])
}
