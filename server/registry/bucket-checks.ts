import { platformWorkspaceId } from '../../domain/ports/reserved.ts'
import type { Finding } from '../../domain/ports/inspection.ts'
import type { Reader } from '../../domain/ports/store.ts'
import { blobCollection, type StoredBlob } from '../../domain/registry/blobs/blobs-store.ts'
import { bucketKind } from '../../domain/storage/buckets/bucket-kind.ts'
import { bucketCollection, type StoredBucket } from '../../domain/storage/buckets/buckets-store.ts'
import { versionCollection } from '../../domain/storage/objects/versions-store.ts'

/**
 * Returns what makes a bucket unfit for blobs, as continuations of its name with what to do: none for a bucket that takes
 * all blobs, and deletes none by itself. Versions of the bucket do no harm, because blobs are deleted with theirs.
 */
export async function bucketFaults(reader: Reader, id: string): Promise<readonly string[]> {
  const bucket = (await reader.get(bucketCollection, id))?.value
  if (bucket?.workspace_id !== platformWorkspaceId)
    return ['does not exist in the workspace platform; create a bucket there, and name it in the setting']
  if (bucket.state === 'STORAGE_BUCKET_STATE_DELETING') return ['is being deleted; name another bucket in the setting']
  return [
    ...(bucket.retention_policy
      ? ['has a retention policy, so that no upload can end and no blob can be deleted; remove the policy']
      : []),
    ...(deletesBlobs(bucket) ? ['has a lifecycle rule that deletes blobs; remove the rule'] : []),
  ]
}

/** Whether a lifecycle rule of a bucket deletes the latest versions of blobs or chunks of uploads. */
const deletesBlobs = ({ lifecycle_rules }: StoredBucket): boolean =>
  lifecycle_rules.some(
    ({ action, condition: { prefix } }) =>
      action === 'STORAGE_LIFECYCLE_ACTION_DELETE' &&
      ['blobs/', 'uploads/'].some(kind => kind.startsWith(prefix) || prefix.startsWith(kind)),
  )

/** Checks that the bucket of a setting is fit for blobs, and that it has the objects of all blobs. */
export async function* inspectBucket(reader: Reader, id: string): AsyncGenerator<Finding, void, undefined> {
  for (const message of await bucketFaults(reader, id))
    yield { resourceType: bucketKind.type, id, message: `is the blob store of the registry and ${message}` }
  for await (const { value } of reader.each(blobCollection, { state: 'LINKED' })) {
    const message = await objectFault(reader, id, value)
    if (message !== undefined) yield { resourceType: 'registry.blobs', id: value.id, message }
  }
}

async function objectFault(reader: Reader, bucket_id: string, { file, size }: StoredBlob): Promise<string | undefined> {
  const version = (await reader.find(versionCollection, { bucket_id, name: file, is_latest: true }))?.value
  if (version === undefined || version.is_delete_marker) return `lacks the object ${file} of bucket ${bucket_id}`
  return version.size === size ? undefined : `has ${size} bytes in ${file}; the object has ${version.size}`
}
