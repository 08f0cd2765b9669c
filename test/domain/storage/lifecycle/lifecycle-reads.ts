import type { Collection, Reader } from '../../../../domain/ports/store.ts'
import { retainedVersion } from '../../../../domain/storage/bucket-calls/bucket-contents.ts'
import type { StoredBucket } from '../../../../domain/storage/buckets/buckets-store.ts'
import type { Rule } from '../../../../domain/storage/rules/due.ts'
import { NewerVersions } from '../../../../domain/storage/lifecycle/newer-versions.ts'
import { uploadsFor, versionsFor } from '../../../../domain/storage/lifecycle/scans.ts'
import { versionCollection, type StoredVersion } from '../../../../domain/storage/objects/versions-store.ts'
import { uploadCollection } from '../../../../domain/storage/uploads/uploads-store.ts'

type Condition = Partial<Rule['condition']>
type Bucket = Pick<StoredBucket, 'id' | 'versioning' | 'retention_policy'>

/** A read of the lifecycle rules; `by` names the columns by which its statements search indexes, in their order. */
export interface LifecycleRead {
  readonly name: string
  readonly collection: Collection<never>
  readonly read: (reader: Reader) => Promise<unknown>
  readonly by: readonly (readonly string[])[]
}

/** The bucket whose versions are read. */
export const bucketId = '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
const nowMs = Date.parse('2030-01-01T00:00:00Z')

const disabled: Bucket = { id: bucketId, versioning: 'STORAGE_VERSIONING_DISABLED' }
const retained: Bucket = {
  ...disabled,
  retention_policy: { retention_period: '864000s', is_locked: false, effective_time: '2026-01-01T00:00:00Z' },
}
const deletion = (condition: Condition): Rule => ({
  action: 'STORAGE_LIFECYCLE_ACTION_DELETE',
  condition: { prefix: '', ...condition },
})
const noncurrent = (condition: Condition): Rule => ({
  ...deletion(condition),
  action: 'STORAGE_LIFECYCLE_ACTION_DELETE_NONCURRENT',
})

async function drained(pages: AsyncGenerator<unknown>): Promise<void> {
  for await (const _page of pages);
}

const found = (name: string, rule: Rule, by: LifecycleRead['by'], bucket = disabled): LifecycleRead => ({
  name,
  collection: versionCollection,
  read: reader => drained(versionsFor(reader, bucket, rule, nowMs)),
  by,
})

const within = ['bucket_id', 'is_latest', 'is_delete_marker']
const [byCreation, byUpdate, byName] = ['create_time', 'update_time', 'name'].map(column => [...within, column])
if (!byCreation || !byUpdate || !byName) throw new Error('a column has no index')

const version: Pick<StoredVersion, 'name' | 'commit_number'> = { name: 'n-7', commit_number: '0000000000000001' }

/** The reads of the lifecycle rules, and of the policies of buckets. */
export const lifecycleReads: readonly LifecycleRead[] = [
  found('objects of an age', deletion({ age_days: 3 }), [byCreation]),
  found('objects of an age with a prefix', deletion({ age_days: 3, prefix: 'tmp/' }), [byCreation, byName]),
  found('objects of a bucket with a policy', deletion({ age_days: 3 }), [byCreation], retained),
  found('versions below newer versions', noncurrent({ num_newer_versions: 3 }), [within]),
  found('such versions with a prefix', noncurrent({ num_newer_versions: 3, prefix: 'tmp/' }), [byName]),
  found('versions that have been replaced long ago', noncurrent({ noncurrent_age_days: 3 }), [byUpdate]),
  found('versions of a long policy', noncurrent({ noncurrent_age_days: 3 }), [byCreation, byUpdate], retained),
  {
    name: 'the newer versions of a name',
    collection: versionCollection,
    read: reader => new NewerVersions(reader, bucketId, 3).areAbove(version),
    by: [['bucket_id', 'name']],
  },
  {
    name: 'versions below a delete marker',
    collection: versionCollection,
    read: reader => reader.exists(versionCollection, { bucket_id: bucketId, name: 'n-7', is_latest: false }),
    by: [['bucket_id', 'name', 'is_latest']],
  },
  {
    name: 'the latest version of a name',
    collection: versionCollection,
    read: reader => reader.find(versionCollection, { bucket_id: bucketId, name: 'n-7', is_latest: true }),
    by: [['bucket_id', 'name', 'is_latest']],
  },
  {
    name: 'the version that a policy protects longest',
    collection: versionCollection,
    read: reader => retainedVersion(reader, { ...retained, id: bucketId }, nowMs),
    by: [within],
  },
  {
    name: 'active uploads of an age',
    collection: uploadCollection,
    read: reader => drained(uploadsFor(reader, disabled, deletion({ age_days: 3 }), nowMs)),
    by: [['bucket_id', 'create_time']],
  },
]
