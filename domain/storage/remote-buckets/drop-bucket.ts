import { classCollection } from '../classes/classes-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { unless } from '../remote-store/remote-fault.ts'
import { dropRemoteRow, remoteCollection } from './remote-rows.ts'

/**
 * Deletes a bucket without a row in its store, after its creation was given up. A bucket with content stays there, and is
 * named in the error. Does nothing for a bucket that has its row. Throws `RemoteFault` and ENGINE_UNAVAILABLE.
 */
export async function dropBucket(
  { store, stores }: Pick<StorageEnvironment, 'store' | 'stores'>,
  id: string,
): Promise<void> {
  const row = await store.tx(async tx => {
    const stored = await tx.lock(remoteCollection, id)
    if (!stored || stored.value.state === 'KEPT') return undefined
    await tx.update(remoteCollection, id, { ...stored.value, state: 'DROPPING' }, stored.version)
    return stored.value
  })
  if (!row) return
  const of = (await store.get(classCollection, row.class_id))?.value
  // A class without buckets may be deleted before the creation of a bucket is given up; its store is not known then.
  if (of) await unless((await stores.of(of)).deleteBucket(row.remote_name), 'bucket', 'object')
  await store.tx(tx => dropRemoteRow(tx, id))
}
