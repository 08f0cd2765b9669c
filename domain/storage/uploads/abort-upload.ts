import type { AbortMultipartUploadRequest, StorageOperation } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { endUpload } from './end-upload.ts'
import { absentUpload, findUpload, requireActiveUpload } from './find-upload.ts'
import { uploadStateAt } from './upload-state.ts'
import type { StoredUpload } from './uploads-store.ts'

const gone: ReadonlySet<string> = new Set([
  'STORAGE_MULTIPART_UPLOAD_STATE_ABORTED',
  'STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED',
])

/** Whether an upload was aborted or has expired, and so counts as absent. */
export const isGone = (upload: Pick<StoredUpload, 'expire_time' | 'state'>, nowMs: number): boolean =>
  gone.has(uploadStateAt(upload, nowMs))

/** Ends an upload without an object. An upload that was aborted or has expired counts as absent. */
export const abortUpload = (
  { operations, taxonomy }: StorageEnvironment,
  request: AbortMultipartUploadRequest,
  context: CallContext,
): Promise<Answer<StorageOperation>> =>
  operations.mutate(context, request, async tx => {
    const { bucket, etag, upload_id, workspace } = request
    const scope = workspaceScope(workspace)
    await taxonomy.share(tx, scope)
    await findBucket(tx, taxonomy, request)
    const changes = await VersionChanges.lock(tx, bucket, context.now)
    const upload = await findUpload(tx, bucket, upload_id)
    if (isGone(upload.value, context.now)) throw absentUpload(bucket, upload_id)
    checkEtag(etag, upload.value.etag)
    await taxonomy.requireActive(tx, workspace)
    changes.requireUsable()
    requireActiveUpload(upload.value, context.now)
    await endUpload(tx, changes, upload, { state: 'STORAGE_MULTIPART_UPLOAD_STATE_ABORTED' }, context.now)
    await changes.end(taxonomy)
    return { type: 'DELETE', resourceType: 'storage.multipartUploads', resourceId: upload_id, scope }
  })
