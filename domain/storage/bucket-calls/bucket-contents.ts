import { bucketNotEmpty, objectRetained } from '../../../output/storage/errors.ts'
import type { FilterField, SortField } from '../../../runtime/filter/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader } from '../../ports/store.ts'
import { retainedUntil } from '../objects/retention.ts'
import { versionCollection, type StoredVersion } from '../objects/versions-store.ts'
import { uploadStateAt } from '../uploads/upload-state.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'

const active = 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE'

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

/** Throws BUCKET_NOT_EMPTY if a bucket has a version, a delete marker or an upload that is active at `nowMs`. */
export async function requireEmpty(reader: Reader, { id }: Pick<StoredBucket, 'id'>, nowMs: number): Promise<void> {
  const left = [
    ['versions', 'storage.objects', await reader.count(versionCollection, { bucket_id: id, is_delete_marker: false })],
    [
      'delete markers',
      'storage.objects',
      await reader.count(versionCollection, { bucket_id: id, is_delete_marker: true }),
    ],
    ['active uploads', 'storage.multipartUploads', await activeUploads(reader, id, nowMs)],
  ] as const
  requireNone(id, left)
}

/** A kind of content that a bucket still has: its name, its resource type, and its number. */
export type Left = readonly [noun: string, type: string, count: number]

/** Throws BUCKET_NOT_EMPTY if any of these counts is not 0. */
export function requireNone(id: string, left: readonly Left[]): void {
  const present = left.filter(([, , count]) => count > 0)
  if (present.length === 0) return
  const counts = present.map(([noun, , count]) => `${count} ${noun}`).join(' and ')
  throw bucketNotEmpty(`bucket ${id} has ${counts}; delete them first, or delete the bucket with force`, {
    precondition: present.map(([noun, type, count]) => ({ type, subject: id, description: `${count} ${noun} left` })),
  })
}

/** Counts the active uploads of a bucket; the worker that ends expired uploads comes later than the clock. */
async function activeUploads(reader: Reader, bucket_id: string, nowMs: number): Promise<number> {
  let count = 0
  for await (const { value } of reader.each(uploadCollection, { bucket_id, state: active }))
    if (uploadStateAt(value, nowMs) === active) count += 1
  return count
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
