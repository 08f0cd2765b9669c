import type { CallContext } from '../../../runtime/context.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import { Conflict, type Stored, type Transaction } from '../../ports/store.ts'
import type { ListedObject, ObjectFacts, ObjectPlace } from '../../ports/storage.ts'
import { crc32cOf } from '../../resources/crc32c.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { contentCollection } from '../contents/contents-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { findVersion } from '../objects/find-version.ts'
import { writeVersion, type NewVersion } from '../objects/new-version.ts'
import { classOf, sizeLimit, tooLarge } from '../objects/object-limits.ts'
import { requireUnretained } from '../objects/retention.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { metadataCollection, type StoredMetadata, type StoredVersion } from '../objects/versions-store.ts'
import { compositeSums } from '../uploads/composite.ts'
import { placedBucket, requireCaller } from './placed-bucket.ts'
import { factsOf } from './read-object.ts'

/** An object that is joined to others. */
interface JoinedPart {
  readonly version: Stored<StoredVersion>
  readonly metadata: StoredMetadata
}

/** Joins objects of a bucket to one object for another area; see `Storage`. */
export async function joinObjects(
  environment: StorageEnvironment,
  context: CallContext | undefined,
  place: ObjectPlace,
  parts: readonly Pick<ListedObject, 'object' | 'versionId'>[],
): Promise<ObjectFacts> {
  const { access, clock, store, taxonomy } = environment
  await requireCaller(environment, context, 'storage.objects.create', place)
  if (context) await access.require(context, 'storage.objects.delete', workspaceScope(place.workspace))
  const id = clock.newId()
  return store.tx(async tx => {
    const now = clock.now()
    await taxonomy.requireActive(tx, place.workspace)
    await placedBucket(tx, place)
    const changes = await VersionChanges.begin(tx, place.bucket, now)
    const found: JoinedPart[] = []
    for (const part of parts) {
      const version = await findVersion(tx, { bucket: place.bucket, ...part })
      requireUnretained(changes.bucket, version.value, now)
      found.push({ version, metadata: await metadataOf(tx, version.id) })
    }
    const size = found.reduce((sum, { version }) => sum + version.value.size, 0)
    const limit = sizeLimit(changes.bucket, await classOf(tx, changes.bucket))
    if (size > limit) throw tooLarge('the joined objects', limit)
    await writeVersion(tx, changes, {
      ...(await joinedContent(tx, found)),
      id,
      name: place.object,
      size,
      contentType: found[0]?.version.value.content_type ?? '',
      uploader: context?.principal?.id ?? systemPrincipalId,
      ifNoneMatch: false,
      overwriteRefusal: undefined,
      now,
    })
    for (const { version } of found) await changes.remove(version)
    await changes.end(taxonomy)
    return factsOf((await findVersion(tx, { ...place, versionId: id })).value)
  })
}

/**
 * Returns the content of objects one after the other. A single object hands its content on; the files of several
 * objects stay those of their contents, which the new content refers to.
 */
async function joinedContent(
  tx: Transaction,
  parts: readonly JoinedPart[],
): Promise<Pick<NewVersion, 'content' | 'etag' | 'metadata'>> {
  const [only] = parts
  if (only && parts.length === 1) {
    const { metadata_of: _of, ...metadata } = only.metadata
    const { content_id, etag } = only.version.value
    return { content: { sharedId: content_id }, etag, metadata }
  }
  const contents = []
  for (const { version } of parts) {
    const stored = await tx.get(contentCollection, version.value.content_id)
    if (!stored) throw new Conflict(`content ${version.value.content_id} was deleted since its version was found`)
    contents.push(stored.value)
  }
  const sums = compositeSums(
    parts.map(({ metadata, version: { value } }) => ({
      etag: value.etag,
      checksum_sha256: metadata.checksum_sha256 ?? '',
      crc32c: crc32cOf(metadata.checksum_crc32c ?? ''),
      size: value.size,
    })),
  )
  return {
    content: {
      files: contents.flatMap(({ files }) => files),
      joins: contents.flatMap(({ id, joins }) => joins ?? [id]),
    },
    etag: sums.etag,
    metadata: {
      cache_control: '',
      content_disposition: '',
      content_encoding: '',
      content_language: '',
      checksum_sha256: sums.sha256,
      checksum_crc32c: sums.crc32c,
      part_count: parts.length,
      custom_metadata: {},
      source_version_id: '',
    },
  }
}

async function metadataOf(tx: Transaction, version: string): Promise<StoredMetadata> {
  const stored = await tx.get(metadataCollection, version)
  if (!stored) throw new Conflict(`version ${version} was deleted since it was found`)
  return stored.value
}
