import type { StorageEnvironment } from '../environment.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { StoredClass } from '../classes/classes-store.ts'
import { classOf } from '../objects/object-limits.ts'
import type { RemoteStore } from '../remote-store/remote-store.ts'
import { hasCapability } from './capabilities.ts'
import { changeRemoteRow, remoteCollection } from './remote-rows.ts'

/** Sets the versioning and the CORS rules of a bucket in its store. Throws `RemoteFault`. */
export async function writeSettings(
  store: RemoteStore,
  of: Pick<StoredClass, 's3'>,
  name: string,
  { cors_rules, versioning }: Pick<StoredBucket, 'cors_rules' | 'versioning'>,
): Promise<void> {
  if (versioning !== 'STORAGE_VERSIONING_DISABLED')
    await store.setVersioning(name, versioning === 'STORAGE_VERSIONING_ENABLED' ? 'Enabled' : 'Suspended')
  if (hasCapability(of, 'CORS')) await store.setCorsRules(name, cors_rules)
}

/**
 * Makes the settings of a bucket in its store equal to its row. A change that comes meanwhile leaves the row due, so that
 * the next run of the worker writes the settings again. Throws `RemoteFault` and ENGINE_UNAVAILABLE.
 */
export async function applySettings(
  { store, stores }: Pick<StorageEnvironment, 'store' | 'stores'>,
  id: string,
): Promise<void> {
  const row = (await store.get(remoteCollection, id))?.value
  const bucket = (await store.get(bucketCollection, id))?.value
  if (row?.state !== 'KEPT' || bucket === undefined || bucket.state === 'STORAGE_BUCKET_STATE_DELETING') return
  const of = await classOf(store, bucket)
  await writeSettings(await stores.of(of), of, row.remote_name, bucket)
  await store.tx(async tx => {
    const now = (await tx.share(bucketCollection, id))?.value
    if (now) await changeRemoteRow(tx, id, { is_due: now.etag === bucket.etag ? 'NO' : 'YES' })
  })
}
