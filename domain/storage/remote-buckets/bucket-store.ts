import { engineUnavailable } from '../../../output/shared/errors.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { StoredClass } from '../classes/classes-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { classOf } from '../objects/object-limits.ts'
import type { RemoteStore } from '../remote-store/remote-store.ts'
import { remoteCollection } from './remote-rows.ts'

/** A bucket in its store. */
export interface BucketStore {
  readonly of: StoredClass
  readonly store: RemoteStore
  /** The name of the bucket in the store. */
  readonly name: string
}

/** Returns a bucket in its store. Throws ENGINE_UNAVAILABLE. */
export async function storeOf(
  { store: rows, stores }: Pick<StorageEnvironment, 'store' | 'stores'>,
  bucket: StoredBucket,
): Promise<BucketStore> {
  const row = await rows.get(remoteCollection, bucket.id)
  if (!row) throw new Error(`bucket ${bucket.id} has no row of its store`)
  const of = await classOf(rows, bucket)
  return { of, store: await stores.of(of), name: row.value.remote_name }
}

/** Returns a bucket in its store for a call on content. Throws ENGINE_UNAVAILABLE, also for a bucket in the state ERROR. */
export async function contentStoreOf(
  environment: Pick<StorageEnvironment, 'store' | 'stores'>,
  bucket: StoredBucket,
): Promise<BucketStore> {
  if (bucket.state === 'STORAGE_BUCKET_STATE_ERROR')
    throw engineUnavailable(`bucket ${bucket.id} was absent in its S3 store, or refused, at the last inventory`, {
      retryAfterSeconds: 60,
    })
  return storeOf(environment, bucket)
}
