import type { VaultArea } from '../../../output/vault/area.ts'
import type { CryptoKey } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import type { VerbChange } from '../../resources/mutation-rules.ts'
import { requireUnused } from '../../resources/require-unused.ts'
import type { VaultEnvironment } from '../environment.ts'
import { durationMs } from '../../resources/durations.ts'
import { setAgenda } from '../work/agenda.ts'
import { cryptoKeyKind } from './crypto-key-kind.ts'
import {
  isInState,
  keyVersionCollection,
  keyVersionRowId,
  versionState,
  type StoredKeyVersion,
} from './key-versions-store.ts'

/** The states in which a version is not yet destroyed. A key has at most 100 such versions, and any number of others. */
const unended = (['ENABLED', 'DISABLED', 'DESTROY_SCHEDULED', 'PENDING_GENERATION', 'GENERATION_FAILED'] as const).map(
  versionState,
)

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
  for await (const version of tx.each(keyVersionCollection, { crypto_key_id: key.id, state: unended })) {
    const time = await endVersion(parts, tx, version, planned, now)
    if (time !== undefined) times.push(time)
  }
  await setAgenda(tx, 'cryptoKeys.rotate', key, undefined)
  const last = times.toSorted().at(-1)
  // Without a version that is still to be destroyed, the worker of the agenda removes the key in its next run.
  const delete_time = last ?? formatMillis(now)
  if (last === undefined) {
    const row = { id: keyVersionRowId(key.id, '1'), workspace_id: key.workspace_id }
    await setAgenda(tx, 'cryptoKeyVersions.destroy', row, delete_time)
  }
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
