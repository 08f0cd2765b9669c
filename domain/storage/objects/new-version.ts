import { objectAlreadyExists } from '../../../output/storage/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { contentCollection, type ContentFile } from '../contents/contents-store.ts'
import { requireUnretained } from './retention.ts'
import type { VersionChanges } from './version-changes.ts'
import { metadataCollection, versionCollection, type StoredMetadata } from './versions-store.ts'

/** The content and the metadata of a version that is to be written. */
export interface NewVersion {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly contentType: string
  readonly etag: string
  readonly uploader: string
  readonly metadata: Omit<StoredMetadata, 'metadata_of'>
  /** The files of a new content, or the id of a content that other versions have. */
  readonly content: { readonly files: readonly ContentFile[] } | { readonly sharedId: string }
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
  if (version.ifNoneMatch) await requireFree(tx, bucket.id, name)
  const isKept = bucket.versioning === 'STORAGE_VERSIONING_ENABLED'
  const replaced = isKept ? undefined : await changes.nullVersion(name)
  if (replaced) {
    if (version.overwriteRefusal && !replaced.value.is_delete_marker) throw version.overwriteRefusal
    requireUnretained(bucket, replaced.value, now)
    await changes.remove(replaced, { isReplaced: true })
  }
  const content_id = await contentOf(tx, version, bucket.instance_id)
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
    slot: isKept ? 'KEPT' : 'NULL',
    content_id,
  })
}

/** Throws OBJECT_ALREADY_EXISTS if a bucket has an object of a name. */
export async function requireFree(reader: Reader, bucket: string, name: string): Promise<void> {
  const latest = await reader.find(versionCollection, { bucket_id: bucket, name, is_latest: true })
  if (latest && !latest.value.is_delete_marker) throw taken(bucket, name)
}

/** Inserts a new content, or adds a reference to a shared content; returns its id. */
async function contentOf(tx: Transaction, { content, id, now, size }: NewVersion, instance: string): Promise<string> {
  const update_time = formatMillis(now)
  if ('files' in content) {
    const { files } = content
    await tx.insert(contentCollection, { id, instance_id: instance, size, references: 1, files, update_time })
    return id
  }
  const shared = await tx.lock(contentCollection, content.sharedId)
  if (!shared) throw new Error(`content ${content.sharedId} is absent, although a version has it`)
  const references = shared.value.references + 1
  await tx.update(contentCollection, shared.id, { ...shared.value, references, update_time }, shared.version)
  return shared.id
}

const taken = (bucket: string, name: string) =>
  objectAlreadyExists(`bucket ${bucket} has an object ${name.slice(0, 80)} already`, {
    resource: { type: 'storage.objects', name: `${bucket}/${name}` },
  })
