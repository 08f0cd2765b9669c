import { copyOntoItself } from '../../../output/storage/errors.ts'
import type { StorageArea } from '../../../output/storage/area.ts'
import type { ParsedCopyObjectRequest, StorageOperation } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt, type ApiError } from '../../../runtime/errors.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Effect } from '../../ports/operations.ts'
import { Conflict, type Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { refusalOf } from '../../resources/refusal.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { replacedVersion, writeVersion, type NewVersion } from '../objects/new-version.ts'
import { classOf, requireMetadataSize, sizeLimit, tooLarge } from '../objects/object-limits.ts'
import { invalidName } from '../objects/object-name.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { metadataCollection, type StoredVersion } from '../objects/versions-store.ts'
import { requireWritable } from '../plane/writable-instance.ts'
import { copying, type CopyOrder } from './copy-procedure.ts'
import { pin } from './copies-store.ts'
import { requireSource, sourceBucket, sourceVersion } from './copy-source.ts'

/**
 * Copies a version into a bucket (storage.md 4.10). On one instance the copy shares the content and is DONE; between
 * instances a procedure copies the bytes, and the source cannot be lost meanwhile.
 */
export async function copyObject(
  environment: StorageEnvironment,
  request: ParsedCopyObjectRequest,
  context: CallContext,
): Promise<Answer<StorageOperation>> {
  const { access, clock, operations, taxonomy } = environment
  const { body, bucket: bucketId, workspace } = request
  const invalid =
    invalidName('source_object', body.source_object) ?? invalidName('destination_object', body.destination_object)
  if (invalid) throw invalid
  requireMetadataSize(body.custom_metadata)
  const found = await sourceBucket(environment, request, context)
  const scope = workspaceScope(workspace)
  // The commit decides whether a version is destroyed, so the refusal is kept until then.
  const overwriteRefusal = await refusalOf(access.require(context, 'storage.objects.delete', scope))
  const id = clock.newId()
  return operations.mutate(context, request, async (tx): Promise<Effect<StorageArea>> => {
    await taxonomy.share(tx, scope)
    if (found) await taxonomy.share(tx, workspaceScope(found.workspace_id))
    await findBucket(tx, taxonomy, request)
    const changes = await VersionChanges.lock(tx, bucketId, context.now)
    await taxonomy.requireActive(tx, workspace)
    changes.requireUsable()
    const source = requireSource(found, request)
    if (source.workspace_id !== workspace) await taxonomy.requireActive(tx, source.workspace_id)
    const version = await sourceVersion(tx, source.id, body)
    requireChange(version, request)
    const limit = sizeLimit(changes.bucket, await classOf(tx, changes.bucket))
    if (version.size > limit) throw tooLarge('source_object', limit)
    const copy = await copyOf(tx, version, request, { id, overwriteRefusal, context })
    const effect = {
      type: 'CREATE',
      resourceType: 'storage.objects',
      resourceId: `${bucketId}/${body.destination_object}`,
      scope,
    } as const
    if (source.instance_id === changes.bucket.instance_id) {
      await writeVersion(tx, changes, { ...copy, content: { sharedId: version.content_id } })
      await changes.end(taxonomy)
      await requireWritable(tx, changes.bucket.instance_id)
      return effect
    }
    await replacedVersion(tx, changes.bucket, copy)
    await requireWritable(tx, changes.bucket.instance_id)
    await pin(tx, { id, workspace_id: workspace, content_id: version.content_id }, context.now)
    const { overwriteRefusal: refusal, ...rest } = copy
    const order: CopyOrder = {
      bucket: bucketId,
      content: version.content_id,
      copy: rest,
      ...(refusal && { refusal: told(refusal) }),
    }
    return { ...effect, procedure: { kind: copying, input: order } }
  })
}

const told = ({ code, domain, message, reason }: ApiError) => ({ code, domain, message, reason })

/** Throws COPY_ONTO_ITSELF for a copy of the latest version onto itself with its own metadata. */
function requireChange({ bucket_id, is_latest, name }: StoredVersion, { body, bucket }: ParsedCopyObjectRequest): void {
  const isSame = bucket_id === bucket && name === body.destination_object && is_latest
  if (!isSame || body.metadata_directive === 'STORAGE_METADATA_DIRECTIVE_REPLACE') return
  throw faultAt(copyOntoItself, 'destination_object', 'names the source itself, and nothing would change')
}

async function copyOf(
  tx: Transaction,
  source: StoredVersion,
  { body }: ParsedCopyObjectRequest,
  facts: { readonly id: string; readonly overwriteRefusal: ApiError | undefined; readonly context: CallContext },
): Promise<Omit<NewVersion, 'content'>> {
  const stored = await tx.get(metadataCollection, source.version_id)
  if (!stored) throw new Conflict(`version ${source.version_id} was deleted since it was found`)
  const { metadata_of: _of, ...metadata } = stored.value
  const isReplaced = body.metadata_directive === 'STORAGE_METADATA_DIRECTIVE_REPLACE'
  const given = {
    cache_control: body.cache_control,
    content_disposition: body.content_disposition,
    content_encoding: body.content_encoding,
    content_language: body.content_language,
    custom_metadata: body.custom_metadata,
  }
  return {
    id: facts.id,
    name: body.destination_object,
    size: source.size,
    contentType: isReplaced ? body.content_type || 'application/octet-stream' : source.content_type,
    etag: source.etag,
    uploader: facts.context.principal?.id ?? '',
    metadata: { ...metadata, ...(isReplaced && given), source_version_id: source.version_id },
    ifNoneMatch: body.if_none_match === '*',
    overwriteRefusal: facts.overwriteRefusal,
    now: facts.context.now,
  }
}
