import {
  copyOntoItself,
  objectAlreadyExists,
  objectNotFound,
  sourcePreconditionFailed,
} from '../../../output/storage/errors.ts'
import type { ParsedCopyObjectRequest, StorageOperation } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError, atField, faultAt } from '../../../runtime/errors.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { refusalOf } from '../../resources/refusal.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { requireSource, sourceBucket } from '../copies/copy-source.ts'
import type { StorageEnvironment } from '../environment.ts'
import { requireMetadataSize } from '../objects/object-limits.ts'
import { invalidName } from '../objects/object-name.ts'
import { contentStoreOf, type BucketStore } from '../remote-buckets/bucket-store.ts'
import { unsupported } from '../remote-buckets/capabilities.ts'
import { areOneAccount, mostPassedBytes } from '../remote-copies/copy-bytes.ts'
import type { RemoteCopyOrder } from '../remote-copies/copy-order.ts'
import { remoteCopying } from '../remote-copies/copy-procedure.ts'
import { answered } from '../remote-store/answered-faults.ts'
import { unless } from '../remote-store/remote-fault.ts'
import { rehearse } from '../remote-store/rehearse.ts'
import type { RemoteContent, RemoteObject } from '../remote-store/remote-store.ts'
import { makeChange } from './changes-store.ts'
import { checkedBucket, type Checked } from './delete-remote-object.ts'
import { findRemoteVersion, isLatestAlone } from './find-remote-version.ts'

/** The largest object that a store copies with one request, in bytes: 5 GiB. */
const maxCopyBytes = 5 * 2 ** 30

/**
 * Copies a version (storage.md 4.10): within a storage class the store copies the bytes, and the operation is DONE. Work
 * copies between storage classes, and copies more than 5 GiB in parts; the operation is PENDING.
 */
export async function copyRemoteObject(
  environment: StorageEnvironment,
  request: ParsedCopyObjectRequest,
  context: CallContext,
): Promise<JsonText<StorageOperation>> {
  const { access, clock, operations, store: rows, taxonomy } = environment
  const { body, bucket: bucket_id, workspace } = request
  const { destination_object: object } = body
  const invalid = invalidName('source_object', body.source_object) ?? invalidName('destination_object', object)
  if (invalid) throw invalid
  requireMetadataSize(body.custom_metadata)
  const source = await sourceBucket(environment, request, context)
  const scope = workspaceScope(workspace)
  const overwriteRefusal = await refusalOf(access.require(context, 'storage.objects.delete', scope))
  const checked = await rehearse<Checked, JsonText<StorageOperation>>(end =>
    operations.mutate(context, request, async tx => {
      await taxonomy.share(tx, scope)
      if (source) await taxonomy.share(tx, workspaceScope(source.workspace_id))
      return end(await checkedBucket(environment, tx, request))
    }),
  )
  if (checked.kind === 'recorded') return checked.answer
  const { bucket, refusal } = checked.result
  if (refusal) throw refusal
  const from = requireSource(source, request)
  if (from.workspace_id !== workspace) await taxonomy.checkActive(rows, from.workspace_id)
  const place = await contentStoreOf(environment, bucket)
  const sourcePlace = await contentStoreOf(environment, from)
  const found = await sourceObject(sourcePlace, from, body)
  requireChange(from, found, request)
  const isBetween = !areOneAccount({ from: sourcePlace, to: place })
  if (isBetween && found.object.size > mostPassedBytes)
    throw unsupported('LARGE_COPY', 'a copy of more than 78 GiB between storage classes is not made')
  await requireTarget(place, bucket, body, overwriteRefusal)
  const versionId = isLatestAlone(from, body.source_version_id) ? '' : body.source_version_id
  const failed = () => changedSource(found.object)
  const content = contentOf(body)
  if (isBetween || found.object.size > maxCopyBytes) {
    const { contentType, contentEncoding, contentDisposition, contentLanguage, cacheControl, metadata } = found.object
    const kept = { contentType, contentEncoding, contentDisposition, contentLanguage, cacheControl, metadata }
    const { etag, size } = found.object
    const order: RemoteCopyOrder = {
      id: clock.newId(),
      source: { bucket: from.id, object: body.source_object, versionId, etag, size },
      target: { bucket: bucket_id, object },
      content: content ?? kept,
      ifNoneMatch: body.if_none_match === '*',
      time: formatMillis(context.now),
    }
    const resourceId = `${bucket_id}/${object}`
    return operations.mutate(context, request, async tx => {
      await taxonomy.share(tx, scope)
      const procedure = { kind: remoteCopying, input: order }
      return { type: 'CREATE', resourceType: 'storage.objects', resourceId, scope, procedure }
    })
  }
  const copy = {
    source: { bucket: sourcePlace.name, object: body.source_object, versionId },
    target: { bucket: place.name, object },
    sourceIfMatch: found.object.etag,
    ...(content && { content }),
  }
  const change = { type: 'CREATE', workspace_id: workspace, bucket_id, object, version_id: '' } as const
  return makeChange(
    environment,
    { ...change, create_time: formatMillis(context.now) },
    {
      request: () => answered(place.store.copy(copy), { precondition: failed, object: failed, version: failed }),
      commit: end =>
        operations.mutate(context, request, async tx => {
          await taxonomy.share(tx, scope)
          await end(tx)
          return { type: 'CREATE', resourceType: 'storage.objects', resourceId: `${bucket_id}/${object}`, scope }
        }),
    },
  )
}

/** Returns the version that is copied. Throws OBJECT_NOT_FOUND, OBJECT_VERSION_NOT_FOUND and SOURCE_PRECONDITION_FAILED. */
async function sourceObject(place: BucketStore, bucket: StoredBucket, body: ParsedCopyObjectRequest['body']) {
  const { source_if_match: etag, source_object: object, source_version_id: versionId } = body
  const found = await findRemoteVersion(place, bucket, { object, versionId }).catch((error: unknown) => {
    const isAbsent = error instanceof ApiError && error.rpc === 'NOT_FOUND'
    throw isAbsent ? atField(error, versionId === '' ? 'source_object' : 'source_version_id') : error
  })
  if (found.kind === 'marker') {
    const resource = { type: 'storage.objects', name: `${bucket.id}/${object}` }
    throw atField(objectNotFound('names a delete marker, which has no content', { resource }), 'source_version_id')
  }
  if (etag !== '' && etag !== '*' && etag.replaceAll('"', '') !== found.object.etag) throw changedSource(found.object)
  return found
}

const changedSource = ({ etag, versionId }: RemoteObject) =>
  sourcePreconditionFailed('the source has another etag, or was deleted', {
    precondition: [{ type: 'ETAG', subject: versionId, description: `the etag is ${etag}` }],
  })

/** Throws COPY_ONTO_ITSELF for a copy of the latest version onto itself with its own metadata. */
function requireChange(
  { id }: StoredBucket,
  { isLatest, object: { name } }: { readonly isLatest: boolean; readonly object: RemoteObject },
  { body, bucket }: ParsedCopyObjectRequest,
): void {
  const isSame = id === bucket && name === body.destination_object && isLatest
  if (!isSame || body.metadata_directive === 'STORAGE_METADATA_DIRECTIVE_REPLACE') return
  throw faultAt(copyOntoItself, 'destination_object', 'names the source itself, and nothing would change')
}

/** Throws OBJECT_ALREADY_EXISTS and IAM_PERMISSION_DENIED if the name of the copy is taken. */
async function requireTarget(
  { name, store }: BucketStore,
  bucket: StoredBucket,
  { destination_object: object, if_none_match }: ParsedCopyObjectRequest['body'],
  overwriteRefusal: ApiError | undefined,
): Promise<void> {
  const isChecked = if_none_match === '*' || (overwriteRefusal && bucket.versioning !== 'STORAGE_VERSIONING_ENABLED')
  if (!isChecked) return
  if (!(await answered(unless(store.read({ bucket: name, object }), 'object', 'unsupported')))) return
  if (if_none_match === '*')
    throw objectAlreadyExists(`bucket ${bucket.id} has an object ${object.slice(0, 80)}`, {
      resource: { type: 'storage.objects', name: `${bucket.id}/${object}` },
    })
  if (overwriteRefusal) throw overwriteRefusal
}

/** Returns the members of the copy; undefined if it keeps those of the source. */
function contentOf(body: ParsedCopyObjectRequest['body']): RemoteContent | undefined {
  if (body.metadata_directive !== 'STORAGE_METADATA_DIRECTIVE_REPLACE') return undefined
  return {
    contentType: body.content_type || 'application/octet-stream',
    contentEncoding: body.content_encoding,
    contentDisposition: body.content_disposition,
    contentLanguage: body.content_language,
    cacheControl: body.cache_control,
    metadata: body.custom_metadata,
  }
}
