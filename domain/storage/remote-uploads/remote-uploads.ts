import type { MultipartUploadHandlers } from '../../../output/storage/handlers.ts'
import type {
  AbortMultipartUploadRequest,
  MultipartUpload,
  ParsedCreateMultipartUploadRequest,
  ParsedListMultipartUploadsRequest,
  StorageOperation,
} from '../../../output/storage/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { requireMetadataSize } from '../objects/object-limits.ts'
import { invalidName } from '../objects/object-name.ts'
import { requireUsable } from '../objects/version-changes.ts'
import { contentStoreOf } from '../remote-buckets/bucket-store.ts'
import { answered } from '../remote-store/answered-faults.ts'
import { rehearse } from '../remote-store/rehearse.ts'
import { isGone } from '../uploads/abort-upload.ts'
import { newUpload } from '../uploads/create-upload.ts'
import { writeEnd } from '../uploads/end-upload.ts'
import { absentUpload, findUpload, requireActiveUpload } from '../uploads/find-upload.ts'
import { listUploads } from '../uploads/uploads.ts'
import { uploadCollection, type StoredUpload } from '../uploads/uploads-store.ts'
import { completeRemoteUpload } from './complete-remote-upload.ts'
import { endThrough } from './end-through.ts'
import { contentOf, findRemoteUpload, remoteParts } from './find-remote-upload.ts'
import { remotePartUrls } from './remote-part-urls.ts'
import { remoteUploadCollection, unended } from '../remote-buckets/remote-upload-rows.ts'

/** The calls on uploads in parts to S3 stores. */
export const remoteUploads = (environment: StorageEnvironment): MultipartUploadHandlers => ({
  listMultipartUploads: (request, context) => listRemoteUploads(environment, request, context),
  createMultipartUpload: (request, context) => createRemoteUpload(environment, request, context),
  abortMultipartUpload: (request, context) => abortRemoteUpload(environment, request, context),
  completeMultipartUpload: (request, context) => completeRemoteUpload(environment, request, context),
  createPartUrls: (request, context) => remotePartUrls(environment, request, context),
})

/** Lists the uploads of a bucket by their rows; the store tells the parts of the one upload of the view FULL. */
async function listRemoteUploads(
  environment: StorageEnvironment,
  request: ParsedListMultipartUploadsRequest,
  context: ListContext,
): Promise<Page<MultipartUpload>> {
  return listUploads(environment, request, context, async upload => {
    const { value: bucket } = await findBucket(environment.store, environment.taxonomy, request)
    const place = await contentStoreOf(environment, bucket)
    const row = await findRemoteUpload(environment.store, upload)
    const parts = await answered(remoteParts(place, upload, row), { upload: () => absentUpload(bucket.id, upload.id) })
    return [...parts.values()].map(({ etag, modifiedMs, number, sha256, size }) => ({
      part_number: number,
      size,
      etag,
      checksum_sha256: sha256,
      update_time: formatMillis(modifiedMs),
    }))
  })
}

/** Begins an upload: the store first, and then its row. The inventory ends uploads of the store without a row. */
async function createRemoteUpload(
  environment: StorageEnvironment,
  request: ParsedCreateMultipartUploadRequest,
  context: CallContext,
): Promise<JsonText<StorageOperation>> {
  const { clock, operations, taxonomy } = environment
  const { body, bucket: bucket_id, workspace } = request
  const invalid = invalidName('object', body.object)
  if (invalid) throw invalid
  requireMetadataSize(body.custom_metadata)
  const id = clock.newId()
  const scope = workspaceScope(workspace)
  const commit = (begun: { readonly uploadId: string } | ((bucket: StoredBucket) => never)) =>
    operations.mutate(context, request, async tx => {
      await taxonomy.share(tx, scope)
      const { value: bucket } = await findBucket(tx, taxonomy, request)
      await taxonomy.requireActive(tx, workspace)
      requireUsable(bucket)
      if (typeof begun === 'function') return begun(bucket)
      await tx.insert(uploadCollection, newUpload(id, request, bucket, context))
      await tx.insert(remoteUploadCollection, {
        id,
        bucket_id,
        remote_id: begun.uploadId,
        checksums: '',
        ...unended,
      })
      return { type: 'CREATE', resourceType: 'storage.multipartUploads', resourceId: id, scope }
    })
  const checked = await rehearse<StoredBucket, JsonText<StorageOperation>>(commit)
  if (checked.kind === 'recorded') return checked.answer
  const { name, store } = await contentStoreOf(environment, checked.result)
  return commit({ uploadId: await answered(store.beginUpload(name, body.object, contentOf(body))) })
}

/** Ends an upload without an object: in the store first, and then its row. */
async function abortRemoteUpload(
  environment: StorageEnvironment,
  request: AbortMultipartUploadRequest,
  context: CallContext,
): Promise<JsonText<StorageOperation>> {
  const { operations, taxonomy } = environment
  const { bucket: bucket_id, etag, upload_id, workspace } = request
  const scope = workspaceScope(workspace)
  const commit = (end?: (found: { readonly bucket: StoredBucket; readonly upload: StoredUpload }) => never) =>
    operations.mutate(context, request, async tx => {
      await taxonomy.share(tx, scope)
      const { value: bucket } = await findBucket(tx, taxonomy, request)
      await tx.lock(uploadCollection, upload_id)
      const upload = await findUpload(tx, bucket_id, upload_id)
      if (isGone(upload.value, context.now)) throw absentUpload(bucket_id, upload_id)
      checkEtag(etag, upload.value.etag)
      await taxonomy.requireActive(tx, workspace)
      requireUsable(bucket)
      requireActiveUpload(upload.value, context.now)
      end?.({ bucket, upload: upload.value })
      await writeEnd(tx, upload, { state: 'STORAGE_MULTIPART_UPLOAD_STATE_ABORTED' }, context.now)
      return { type: 'DELETE', resourceType: 'storage.multipartUploads', resourceId: upload_id, scope }
    })
  const checked = await rehearse<
    { readonly bucket: StoredBucket; readonly upload: StoredUpload },
    JsonText<StorageOperation>
  >(commit)
  if (checked.kind === 'recorded') return checked.answer
  const { bucket, upload } = checked.result
  const { name, store } = await contentStoreOf(environment, bucket)
  const { remote_id } = await findRemoteUpload(environment.store, upload)
  return endThrough(
    environment,
    upload_id,
    { is_aborting: true },
    { request: () => answered(store.abortUpload({ bucket: name, object: upload.object }, remote_id)), commit },
  )
}
