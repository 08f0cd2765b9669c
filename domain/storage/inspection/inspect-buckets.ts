import type { BucketUsage } from '../../../output/storage/types.ts'
import type { Finding, Inspection } from '../../ports/inspection.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { references } from '../../resources/references.ts'
import { classKind } from '../classes/class-kind.ts'
import { classCollection } from '../classes/classes-store.ts'
import { instanceCollection } from '../instances/instances-store.ts'
import { contentCollection } from '../contents/contents-store.ts'
import { countsOf } from '../objects/usage.ts'
import { metadataCollection, versionCollection, type StoredVersion } from '../objects/versions-store.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'
import { nativeEngine } from '../by-engine.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import { contentDeletion } from '../bucket-calls/delete-content.ts'
import { remoteDeletion } from '../remote-buckets/delete-remote-bucket.ts'
import { remoteCollection } from '../remote-buckets/remote-rows.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks that buckets have a class, an instance and the usage of their versions, and that deletions end. */
export async function* inspectBuckets(inspection: Inspection): Findings {
  const { reader } = inspection
  for await (const { value } of reader.each(bucketCollection)) {
    const faults = [
      ...(await placeFaults(reader, value)),
      ...(value.engine === nativeEngine ? await usageFaults(reader, value) : await remoteFaults(reader, value)),
      ...(await workFaults(inspection, value)),
    ]
    for (const message of faults) yield { resourceType: bucketKind.type, id: value.id, message }
    yield* inspectVersions(reader, value)
  }
  for await (const { id, value } of reader.each(versionCollection)) {
    if (await reader.exists(bucketCollection, { id: value.bucket_id })) continue
    const message = `belongs to bucket ${value.bucket_id}, which does not exist`
    yield { resourceType: 'storage.objects', id, message }
  }
}

async function placeFaults(
  reader: Reader,
  { engine, id, instance_id, storage_class }: StoredBucket,
): Promise<readonly string[]> {
  const found = await reader.find(classCollection, { engine, name: storage_class })
  const instance = await reader.get(instanceCollection, instance_id)
  const holder = { holder_type: bucketKind.type, holder_id: id }
  const target = { target_type: classKind.type, target_id: found?.id ?? '' }
  const isRecorded = await reader.exists(references, { ...holder, ...target })
  return [
    ...(found ? [] : [`names storage class ${storage_class}, which does not exist`]),
    ...(found && !isRecorded ? [`uses storage class ${storage_class} without a reference`] : []),
    ...(engine !== nativeEngine || instance?.value.storage_class_id === found?.id
      ? []
      : [`lies on instance ${instance_id}, which is none of storage class ${storage_class}`]),
  ]
}

const counted = ['object_count', 'version_count', 'bytes', 'noncurrent_bytes', 'incomplete_upload_bytes'] as const

/** Returns the differences between the usage of a bucket and the sums over its versions and active uploads. */
async function usageFaults(reader: Reader, { id, usage }: StoredBucket): Promise<readonly string[]> {
  const sums: Pick<BucketUsage, (typeof counted)[number]> = {
    object_count: 0,
    version_count: 0,
    bytes: 0,
    noncurrent_bytes: 0,
    incomplete_upload_bytes: 0,
  }
  for await (const { value } of reader.each(versionCollection, { bucket_id: id })) {
    const counts = { ...countsOf(value), incomplete_upload_bytes: 0 }
    for (const name of counted) sums[name] += counts[name]
  }
  const active = { bucket_id: id, state: 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE' } as const
  for await (const { value } of reader.each(uploadCollection, active))
    sums.incomplete_upload_bytes += value.uploaded_bytes
  return counted
    .filter(name => usage[name] !== sums[name])
    .map(name => {
      const owners = name === 'incomplete_upload_bytes' ? 'active uploads' : 'versions'
      return `has usage.${name} ${usage[name]}; its ${owners} make ${sums[name]}`
    })
}

/** Returns a finding for a bucket on an S3 store without the row that names it there. */
async function remoteFaults(reader: Reader, { id }: StoredBucket): Promise<readonly string[]> {
  const row = (await reader.get(remoteCollection, id))?.value
  return row?.state === 'KEPT' ? [] : ['has no row of its bucket in the S3 store']
}

/** The kinds of the work that deletes buckets. */
const deletions: readonly string[] = [contentDeletion, remoteDeletion]

async function workFaults({ workAt }: Inspection, bucket: StoredBucket): Promise<readonly string[]> {
  if (bucket.state !== 'STORAGE_BUCKET_STATE_DELETING') return []
  const works = await workAt(workspaceScope(bucket.workspace_id))
  const isWorked = works.some(
    ({ input, kind }) => deletions.includes(kind) && Reflect.get(input, 'bucket') === bucket.id,
  )
  return isWorked ? [] : ['is DELETING, and no work will end it']
}

/**
 * Checks that each object has one latest version, its newest, and at most one version of the time without versioning,
 * and that each version has its metadata.
 */
async function* inspectVersions(reader: Reader, bucket: StoredBucket): Findings {
  const newest = new Map<string, StoredVersion>()
  const latest = new Map<string, number>()
  const nulls = new Set<string>()
  for await (const stored of reader.each(versionCollection, { bucket_id: bucket.id })) {
    const { name } = stored.value
    const known = newest.get(name)
    if (!known || known.commit_number < stored.value.commit_number) newest.set(name, stored.value)
    if (stored.value.is_latest) latest.set(name, (latest.get(name) ?? 0) + 1)
    if (stored.value.slot === 'NULL') {
      if (nulls.has(name)) yield* twoNulls(stored)
      nulls.add(name)
    }
    yield* inspectVersion(reader, bucket, stored)
  }
  for (const [name, version] of newest) {
    if (version.is_latest && latest.get(name) === 1) continue
    const message = `has ${latest.get(name) ?? 0} latest versions; version ${version.version_id} alone must be the latest`
    yield { resourceType: 'storage.objects', id: `${bucket.id}/${name}`, message }
  }
}

function* twoNulls({ id }: Stored<StoredVersion>): Generator<Finding, void, undefined> {
  const message = 'was written without versioning, as another version of its object was, which it must have replaced'
  yield { resourceType: 'storage.objects', id, message }
}

async function* inspectVersion(reader: Reader, bucket: StoredBucket, { id, value }: Stored<StoredVersion>): Findings {
  const finding = (message: string): Finding => ({ resourceType: 'storage.objects', id, message })
  if (Number(value.commit_number) > Number(bucket.commit_number))
    yield finding(`has the commit number ${value.commit_number}, above that of its bucket`)
  if (value.workspace_id !== bucket.workspace_id)
    yield finding(`belongs to workspace ${value.workspace_id}, unlike its bucket`)
  const hasMetadata = (await reader.get(metadataCollection, id)) !== undefined
  if (value.is_delete_marker) {
    if (hasMetadata || value.content_id !== '') yield finding('is a delete marker with content or metadata')
  } else if (!hasMetadata || value.content_id === '') {
    yield finding('has no metadata or no content')
  } else {
    const content = (await reader.get(contentCollection, value.content_id))?.value
    if (content && content.instance_id !== bucket.instance_id)
      yield finding(`has its content on instance ${content.instance_id}, unlike its bucket`)
  }
}
