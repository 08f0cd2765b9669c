import { objectAlreadyExists, partMissing } from '../../../output/storage/errors.ts'
import type { ParsedCompleteMultipartUploadRequest, StorageOperation } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import type { Answer, JsonText } from '../../../runtime/json.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { refusalOf } from '../../resources/refusal.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { maxObjectBytes, tooLarge } from '../objects/object-limits.ts'
import { requireUsable } from '../objects/version-changes.ts'
import { mayOverwrite } from '../presigned/signable-bucket.ts'
import { contentStoreOf, type BucketStore } from '../remote-buckets/bucket-store.ts'
import { requireCapability, unsupported } from '../remote-buckets/capabilities.ts'
import { answered } from '../remote-store/answered-faults.ts'
import { unless } from '../remote-store/remote-fault.ts'
import { rehearse } from '../remote-store/rehearse.ts'
import type { RemotePart } from '../remote-store/remote-store.ts'
import { completeOnce, listedParts, otherDigest, requireLargeParts } from '../uploads/complete-upload.ts'
import { compositeEtag, compositeSha256 } from '../uploads/composite.ts'
import { writeEnd } from '../uploads/end-upload.ts'
import { absentUpload, findUpload, requireActiveUpload } from '../uploads/find-upload.ts'
import { uploadCollection, type StoredUpload } from '../uploads/uploads-store.ts'
import { endThrough } from './end-through.ts'
import { findRemoteUpload, remoteParts } from './find-remote-upload.ts'
import type { RemoteUploadRow } from '../remote-buckets/remote-upload-rows.ts'

interface Found {
  readonly bucket: StoredBucket
  readonly upload: StoredUpload
}

type Request = ParsedCompleteMultipartUploadRequest

/**
 * Puts the listed parts of an upload together into an object: in the store first, and then in the rows. A repetition with
 * the same body returns the same operation, and goes on after a crash between the two.
 */
export const completeRemoteUpload = (
  environment: StorageEnvironment,
  request: Request,
  context: CallContext,
): Promise<Answer<StorageOperation>> =>
  completeOnce(environment, request, digest => complete(environment, request, digest, context))

async function complete(
  environment: StorageEnvironment,
  request: Request,
  digest: string,
  context: CallContext,
): Promise<JsonText<StorageOperation>> {
  const { access, operations, store, taxonomy } = environment
  const { body, bucket: bucket_id, upload_id, workspace } = request
  const scope = workspaceScope(workspace)
  const overwriteRefusal = await refusalOf(access.require(context, 'storage.objects.delete', scope))
  const commit = (end?: (found: Found) => never) =>
    operations.mutate(context, request, async (tx, operationId) => {
      await taxonomy.share(tx, scope)
      const { value: bucket } = await findBucket(tx, taxonomy, request)
      await tx.lock(uploadCollection, upload_id)
      const upload = await findUpload(tx, bucket_id, upload_id)
      // The store has completed the upload, so that its row follows whatever the states are now.
      if (end) {
        await taxonomy.requireActive(tx, workspace)
        requireUsable(bucket)
        requireActiveUpload(upload.value, context.now)
        end({ bucket, upload: upload.value })
      }
      const state = 'STORAGE_MULTIPART_UPLOAD_STATE_COMPLETED'
      if (upload.value.state === state) requireActiveUpload(upload.value, context.now)
      await writeEnd(tx, upload, { state, completed_by: digest, completing_operation: operationId }, context.now)
      const resourceId = `${bucket_id}/${upload.value.object}`
      return { type: 'COMPLETE', resourceType: 'storage.objects', resourceId, scope }
    })
  const checked = await rehearse<Found, JsonText<StorageOperation>>(commit)
  if (checked.kind === 'recorded') return checked.answer
  const { bucket, upload } = checked.result
  const place = await contentStoreOf(environment, bucket)
  if (body.if_none_match !== '') requireCapability(place.of, 'CONDITIONAL_PUT')
  const row = await findRemoteUpload(store, upload)
  const parts = await answered(unless(remoteParts(place, upload, row), 'upload'))
  if (!parts) {
    // The store has no such upload any more: an equal completion before a crash may have completed it.
    if (row.completing === digest && (await isCompleted(place, upload, body))) return commit()
    throw absentUpload(bucket_id, upload_id)
  }
  const listed = requireSound(parts, place, row, body)
  if (overwriteRefusal && mayOverwrite(bucket, body.if_none_match) && (await isTaken(place, upload)))
    throw overwriteRefusal
  return endThrough(
    environment,
    upload_id,
    { completing: digest, completing_etag: compositeEtag(listed) },
    { request: () => completeInStore(place, upload, row, body, listed), commit },
  )
}

/** Returns the listed parts. Throws PART_MISSING, PART_ETAG_MISMATCH, PART_TOO_SMALL, CHECKSUM_MISMATCH and OBJECT_TOO_LARGE. */
function requireSound(
  parts: ReadonlyMap<number, RemotePart>,
  { of }: BucketStore,
  { checksums }: RemoteUploadRow,
  { checksum_sha256: given, parts: wanted }: Request['body'],
): readonly RemotePart[] {
  const listed = listedParts(parts, wanted)
  requireLargeParts(listed)
  if (given !== '') {
    requireCapability(of, 'CHECKSUM_SHA256')
    if (checksums !== 'SHA256')
      throw unsupported('MIXED_CHECKSUMS', 'a checksum of parts without checksums is not compared')
    const sum = compositeSha256(listed.map(({ sha256 }) => ({ checksum_sha256: sha256 })))
    if (sum !== given) throw otherDigest(sum)
  }
  if (listed.reduce((bytes, { size }) => bytes + size, 0) > maxObjectBytes) throw tooLarge('parts', maxObjectBytes)
  return listed
}

const isTaken = async ({ name, store }: BucketStore, { object }: StoredUpload): Promise<boolean> =>
  (await answered(unless(store.read({ bucket: name, object }), 'object', 'unsupported'))) !== undefined

/** Whether the object of an upload has the content of the listed parts. */
async function isCompleted({ name, store }: BucketStore, { object }: StoredUpload, { parts }: Request['body']) {
  const found = await answered(unless(store.read({ bucket: name, object }), 'object', 'unsupported'))
  return found?.etag === compositeEtag(parts.map(({ etag }) => ({ etag: etag.replaceAll('"', '') })))
}

async function completeInStore(
  { name, store }: BucketStore,
  upload: StoredUpload,
  { remote_id }: RemoteUploadRow,
  { if_none_match }: Request['body'],
  listed: readonly RemotePart[],
): Promise<void> {
  const { bucket_id, id, object } = upload
  const exists = () =>
    objectAlreadyExists(`bucket ${bucket_id} has an object ${object.slice(0, 80)} already`, {
      resource: { type: 'storage.objects', name: `${bucket_id}/${object}` },
    })
  await answered(
    store.completeUpload({
      bucket: name,
      object,
      uploadId: remote_id,
      parts: listed.map(({ etag, number, sha256 }) => ({ etag, number, sha256 })),
      sha256: '',
      ifNoneMatch: if_none_match === '*',
    }),
    {
      precondition: exists,
      upload: () => absentUpload(bucket_id, id),
      part: () => faultAt(partMissing, 'parts', 'were replaced meanwhile; list them again'),
    },
  )
}
