import type { Reader, Transaction } from '../../ports/store.ts'
import { classCollection } from '../classes/classes-store.ts'
import { nativeDefaults } from '../classes/native-settings.ts'
import type { StorageEnvironment } from '../environment.ts'
import type { NativeTask } from '../native/native-worker.ts'
import type { FolderCheck } from './instance-folders.ts'
import { checkedInstance } from './instance-state.ts'
import { instanceCollection, type StoredInstance } from './instances-store.ts'

/** The states in which the provisioning of an instance decides its state. */
const unchecked: readonly string[] = [
  'STORAGE_CLASS_INSTANCE_STATE_PROVISIONING',
  'STORAGE_CLASS_INSTANCE_STATE_FAILED',
]

/**
 * Checks the folders of all instances, and records their states and their free space. The first check of an instance
 * that the bootstrap created makes its folder.
 */
export const checkInstances: NativeTask<'clock' | 'folders' | 'store'> = async ({ clock, folders, store }, turn) => {
  const instances: StoredInstance[] = []
  for await (const { value } of store.each(instanceCollection))
    if (!unchecked.includes(value.state)) instances.push(value)
  const checks = instances.map(async instance => {
    const { id, last_check_time, location } = instance
    const check = last_check_time === undefined ? await folders.provision(id, location) : await folders.check(id)
    if (!turn.signal.aborted) await turn.tx(tx => recordCheck(tx, id, check, clock.now()))
  })
  await Promise.all(checks)
}

/** Writes the result of a check to the row of an instance, unless the instance is deleted or provisioned again. */
async function recordCheck(tx: Transaction, id: string, check: FolderCheck, now: number): Promise<void> {
  const stored = await tx.lock(instanceCollection, id)
  if (!stored || unchecked.includes(stored.value.state)) return
  const next = checkedInstance(stored.value, check, await minFreeBytes(tx, stored.value), now)
  await tx.update(instanceCollection, id, next, stored.version)
}

/** Returns the bytes that must stay free on the disk of an instance. */
export async function minFreeBytes(
  reader: Reader,
  { storage_class_id }: Pick<StoredInstance, 'storage_class_id'>,
): Promise<number> {
  const stored = await reader.get(classCollection, storage_class_id)
  return (stored?.value.native ?? nativeDefaults).min_free_bytes
}

/**
 * Returns a function that records that the disk of an instance has failed, so that the instance takes no content until
 * its next good check (storage.md 2). Faults while the record is being written, and faults of a DEGRADED instance, write
 * nothing.
 */
export function degrader({
  clock,
  failed,
  store,
}: Pick<StorageEnvironment, 'clock' | 'failed' | 'store'>): (instance: string) => void {
  const busy = new Set<string>()
  const degrade = async (instance: string): Promise<void> => {
    const known = await store.get(instanceCollection, instance)
    if (known?.value.state === 'STORAGE_CLASS_INSTANCE_STATE_DEGRADED') return
    await store.tx(tx => recordCheck(tx, instance, diskFault, clock.now()))
  }
  return instance => {
    if (busy.has(instance)) return
    busy.add(instance)
    void degrade(instance)
      .catch((error: unknown) => failed(error, `storage.storageClassInstances/${instance}`))
      .finally(() => busy.delete(instance))
  }
}

const diskFault: FolderCheck = { kind: 'faulty', reason: 'ProbeFailed', message: 'the disk failed during a call' }
