import type {
  LifecycleRule,
  ParsedCreateMultipartUploadRequest,
  StorageOperation,
} from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { canHold, dayMs, endsUploads } from '../rules/due.ts'
import { nextEtag } from '../../resources/etag.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { requireMetadataSize } from '../objects/object-limits.ts'
import { invalidName } from '../objects/object-name.ts'
import { requireUsable } from '../objects/version-changes.ts'
import { uploadCollection, type StoredUpload } from './uploads-store.ts'

/** The time after which an upload ends by itself, in milliseconds. */
const lifeMs = 7 * dayMs

/** Begins an upload in parts (storage.md 4.7). */
export async function createUpload(
  { clock, operations, taxonomy }: StorageEnvironment,
  request: ParsedCreateMultipartUploadRequest,
  context: CallContext,
): Promise<Answer<StorageOperation>> {
  const { body, workspace } = request
  const invalid = invalidName('object', body.object)
  if (invalid) throw invalid
  requireMetadataSize(body.custom_metadata)
  const id = clock.newId()
  return operations.mutate(context, request, async tx => {
    const scope = workspaceScope(workspace)
    await taxonomy.share(tx, scope)
    await findBucket(tx, taxonomy, request)
    await taxonomy.requireActive(tx, workspace)
    const bucket = await tx.share(bucketCollection, request.bucket)
    if (bucket) requireUsable(bucket.value)
    await tx.insert(uploadCollection, newUpload(id, request, bucket?.value, context))
    return { type: 'CREATE', resourceType: 'storage.multipartUploads', resourceId: id, scope }
  })
}

/** Returns the row of a new upload. */
export function newUpload(
  id: string,
  { body, bucket, workspace }: ParsedCreateMultipartUploadRequest,
  stored: StoredBucket | undefined,
  { now, principal }: CallContext,
): StoredUpload {
  return {
    ...body,
    id,
    bucket_id: bucket,
    content_type: body.content_type === '' ? 'application/octet-stream' : body.content_type,
    state: 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE',
    initiator_principal_id: principal?.id ?? '',
    part_count: 0,
    uploaded_bytes: 0,
    parts: [],
    etag: nextEtag(undefined),
    create_time: formatMillis(now),
    expire_time: formatMillis(now + lifeOf(stored?.lifecycle_rules ?? [], body.object)),
    workspace_id: workspace,
    instance_id: stored?.instance_id ?? '',
    completed_by: '',
    completing_operation: '',
    has_parts: 'NO',
    end_time: '',
  }
}

/** Returns the life of an upload in milliseconds: seven days, or less by a lifecycle rule of the bucket. */
function lifeOf(rules: readonly LifecycleRule[], object: string): number {
  const lives = rules
    .filter(rule => endsUploads(rule) && canHold(rule) && object.startsWith(rule.condition.prefix))
    .map(({ condition }) => (condition.age_days ?? 0) * dayMs)
  return Math.min(lifeMs, ...lives)
}
