import { objectAlreadyExists } from '../../../output/storage/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import { addReference } from '../contents/references.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { contentCollection, type ContentFile } from '../contents/contents-store.ts'
import { requireUnretained } from './retention.ts'
import type { VersionChanges } from './version-changes.ts'
import {
  metadataCollection,
  nullVersion,
  versionCollection,
  type StoredMetadata,
  type StoredVersion,
} from './versions-store.ts'

/** The content and the metadata of a version that is to be written. */
export interface NewVersion {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly contentType: string
  readonly etag: string
  readonly uploader: string
  readonly metadata: Omit<StoredMetadata, 'metadata_of'>
  /**
   * The files of a new content, which has the id of the version unless `contentId` is given, or the id of a content that
   * other versions have. `joins` are the ids of the contents that have the files already.
   */
  readonly content:
    | { readonly files: readonly ContentFile[]; readonly contentId?: string; readonly joins?: readonly string[] }
    | { readonly sharedId: string }
  /** Whether the name must be free. */
  readonly ifNoneMatch: boolean
  /** The refusal of the caller's right to delete objects, if the caller lacks it. */
  readonly overwriteRefusal: ApiError | undefined
  readonly now: number
}

/**
 * Writes a version on top of the versions of its name (storage.md 4.6, 4.8). While versioning is not enabled, the
 * version replaces the null version of the name. Throws OBJECT_ALREADY_EXISTS, OBJECT_RETAINED and the refusal of an
 * overwrite.
 */
export async function writeVersion(tx: Transaction, changes: VersionChanges, version: NewVersion): Promise<void> {
  const { bucket } = changes
  const { id, name, now } = version
  const replaced = await replacedVersion(tx, bucket, version)
  // The version that is replaced may have the last other reference to a shared content, which must not be given up.
  const content_id = await contentOf(tx, version, bucket.instance_id)
  if (replaced) await changes.remove(replaced, { isReplaced: true })
  await tx.insert(metadataCollection, { metadata_of: id, ...version.metadata })
  const time = formatMillis(now)
  await changes.put({
    workspace_id: bucket.workspace_id,
    bucket_id: bucket.id,
    name,
    version_id: id,
    is_delete_marker: false,
    size: version.size,
    content_type: version.contentType,
    etag: version.etag,
    storage_class: bucket.storage_class,
    create_time: time,
    update_time: time,
    uploader_principal_id: version.uploader,
    slot: bucket.versioning === 'STORAGE_VERSIONING_ENABLED' ? 'KEPT' : 'NULL',
    content_id,
  })
}

/**
 * Returns the version that a new version replaces, if any. Throws OBJECT_ALREADY_EXISTS, OBJECT_RETAINED and the refusal
 * of an overwrite.
 */
export async function replacedVersion(
  reader: Reader,
  bucket: StoredBucket,
  { ifNoneMatch, name, now, overwriteRefusal }: Pick<NewVersion, 'ifNoneMatch' | 'name' | 'now' | 'overwriteRefusal'>,
): Promise<Stored<StoredVersion> | undefined> {
  if (ifNoneMatch) await requireFree(reader, bucket.id, name)
  if (bucket.versioning === 'STORAGE_VERSIONING_ENABLED') return undefined
  const replaced = await nullVersion(reader, { bucket_id: bucket.id, name })
  if (!replaced) return undefined
  if (overwriteRefusal && !replaced.value.is_delete_marker) throw overwriteRefusal
  requireUnretained(bucket, replaced.value, now)
  return replaced
}

/** Throws OBJECT_ALREADY_EXISTS if a bucket has an object of a name. */
export async function requireFree(reader: Reader, bucket: string, name: string): Promise<void> {
  const latest = await reader.find(versionCollection, { bucket_id: bucket, name, is_latest: true })
  if (latest && !latest.value.is_delete_marker) throw taken(bucket, name)
}

/** Inserts a new content, or adds a reference to a shared content; returns its id. */
async function contentOf(tx: Transaction, { content, id, now, size }: NewVersion, instance: string): Promise<string> {
  if ('files' in content) {
    const { contentId = id, files, joins } = content
    for (const joined of joins ?? []) await addReference(tx, joined, now)
    await tx.insert(contentCollection, {
      id: contentId,
      instance_id: instance,
      size,
      references: 1,
      files,
      ...(joins && { joins }),
      update_time: formatMillis(now),
    })
    return contentId
  }
  await addReference(tx, content.sharedId, now)
  return content.sharedId
}

const taken = (bucket: string, name: string) =>
  objectAlreadyExists(`bucket ${bucket} has an object ${name.slice(0, 80)} already`, {
    resource: { type: 'storage.objects', name: `${bucket}/${name}` },
  })
