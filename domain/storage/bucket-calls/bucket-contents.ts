import { bucketNotEmpty, objectRetained } from '../../../output/storage/errors.ts'
import type { FilterField, SortField } from '../../../runtime/filter/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader } from '../../ports/store.ts'
import { retainedUntil } from '../objects/retention.ts'
import { versionCollection, type StoredVersion } from '../objects/versions-store.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'

const field = (name: string, type: FilterField['type'] = 'STRING'): FilterField => ({
  name,
  type,
  operators: [],
  sortable: true,
})

/** The order of the versions of a bucket by which they are read in batches. */
export const byName: readonly SortField[] = [
  { field: field('name'), descending: false },
  { field: field('version_id'), descending: false },
]

const newestFirst: readonly SortField[] = [
  { field: field('create_time', 'TIMESTAMP'), descending: true },
  { field: field('version_id'), descending: false },
]

/** Throws BUCKET_NOT_EMPTY if a bucket has a version, a delete marker or an active upload. */
export async function requireEmpty(reader: Reader, { id }: Pick<StoredBucket, 'id'>): Promise<void> {
  const left = [
    ['versions', 'storage.objects', await reader.count(versionCollection, { bucket_id: id, is_delete_marker: false })],
    [
      'delete markers',
      'storage.objects',
      await reader.count(versionCollection, { bucket_id: id, is_delete_marker: true }),
    ],
    [
      'active uploads',
      'storage.multipartUploads',
      await reader.count(uploadCollection, { bucket_id: id, state: 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE' }),
    ],
  ] as const
  const present = left.filter(([, , count]) => count > 0)
  if (present.length === 0) return
  const counts = present.map(([noun, , count]) => `${count} ${noun}`).join(' and ')
  throw bucketNotEmpty(`bucket ${id} has ${counts}; delete them first, or delete the bucket with force`, {
    precondition: present.map(([noun, type, count]) => ({ type, subject: id, description: `${count} ${noun} left` })),
  })
}

/** Returns the version of a bucket whose protection ends last, if its protection has not ended. */
export async function retainedVersion(
  reader: Reader,
  bucket: Pick<StoredBucket, 'id' | 'retention_policy'>,
  nowMs: number,
): Promise<{ readonly version: StoredVersion; readonly until: number } | undefined> {
  if (!bucket.retention_policy) return undefined
  let newest: { readonly version: StoredVersion; readonly until: number } | undefined
  // An index has the newest of the latest versions, and the newest of the others.
  for (const is_latest of [true, false]) {
    const query = { size: 1, filter: undefined, order: newestFirst, after: undefined, now: nowMs }
    const where = { bucket_id: bucket.id, is_latest, is_delete_marker: false }
    const [found] = (await reader.page(versionCollection, query, where)).items
    const until = found && retainedUntil(bucket, found.value)
    if (found && until !== undefined && until > (newest?.until ?? nowMs)) newest = { version: found.value, until }
  }
  return newest
}

/** Throws OBJECT_RETAINED if the policy of a bucket still protects one of its versions. */
export async function requireNoneRetained(reader: Reader, bucket: StoredBucket, nowMs: number): Promise<void> {
  const retained = await retainedVersion(reader, bucket, nowMs)
  if (!retained) return
  const retain_until_time = formatMillis(retained.until)
  const { version_id } = retained.version
  throw objectRetained(
    `bucket ${bucket.id} has versions that are protected until ${retain_until_time}`,
    { retain_until_time },
    {
      precondition: [{ type: 'RETENTION', subject: version_id, description: `protected until ${retain_until_time}` }],
    },
  )
}
