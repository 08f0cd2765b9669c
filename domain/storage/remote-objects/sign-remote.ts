import type { PresignedUrl } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import type { BucketStore } from '../remote-buckets/bucket-store.ts'
import { answered } from '../remote-store/answered-faults.ts'
import type { RemoteRequest } from '../remote-store/remote-store.ts'

/** The header with the storage class of an upload, which a store takes from headers alone. */
const classHeader = 'x-amz-storage-class'

/** The terms of a URL of a store. */
export type SigningTerms = Pick<RemoteRequest, 'method' | 'object' | 'query' | 'headers' | 'expiresSeconds'>

/** Returns a URL that leads to the store of a bucket. It works at most as long as the settings permit. */
export async function signRemote(
  { remoteLimits }: Pick<StorageEnvironment, 'remoteLimits'>,
  { name, store }: BucketStore,
  { engine }: Pick<StoredBucket, 'engine'>,
  { expiresSeconds: wanted, ...terms }: SigningTerms,
  { now }: Pick<CallContext, 'now'>,
): Promise<PresignedUrl> {
  const expiresSeconds = Math.min(wanted, Math.floor(remoteLimits.maxExpiresMs / 1000))
  const url = await answered(store.sign({ ...terms, bucket: name, signedMs: now, expiresSeconds }))
  return {
    url,
    method: `STORAGE_HTTP_METHOD_${terms.method}`,
    headers: { ...terms.headers },
    expire_time: formatMillis(Math.floor(now / 1000) * 1000 + expiresSeconds * 1000),
    engine,
  }
}

/** Returns the headers of an upload with the storage class that the class of the bucket names, if any. */
export function classedHeaders(
  { of }: Pick<BucketStore, 'of'>,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const storageClass = of.s3?.remote_storage_class ?? ''
  return storageClass === '' ? headers : { ...headers, [classHeader]: storageClass }
}
