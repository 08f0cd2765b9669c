import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Turn } from '../../ports/workers.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { blobCollection, linkCollection } from '../blobs/blobs-store.ts'
import { pushMs, unlinkUnnamed } from '../artifacts/unlink-unnamed.ts'
import { referenceCollection } from '../artifacts/references-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { chargeUsage } from '../quotas/charge-usage.ts'
import { lockShrinking } from '../repositories/lock-repository.ts'
import { dropUpload } from '../uploads/finish-upload.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'

/** The time without a byte after which an upload ends, in milliseconds. */
const idleMs = 24 * 3_600_000

/** The age at which bytes without a row are deleted, in milliseconds; no push lasts longer between bytes and commit. */
const leftoverMs = 3_600_000

/** The parts that the collection uses. */
export type CollectionParts = Pick<RegistryEnvironment, 'blobs' | 'clock' | 'collectionGraceMs' | 'store' | 'taxonomy'>

/** Ends the uploads that received nothing for a day. */
export async function endIdleUploads({ blobs, clock, store }: CollectionParts, { signal, tx }: Turn): Promise<void> {
  const limit = formatMillis(clock.now() - idleMs)
  for await (const { id, value } of store.each(uploadCollection)) {
    if (signal.aborted) return
    if (value.update_time > limit) continue
    await tx(transaction => dropUpload(transaction, id))
    await blobs.discard(id)
  }
}

/**
 * Takes blobs out of repositories that no manifest has named since their upload or mount, once the grace has passed: the
 * push that needed them has failed, or their manifest was deleted during the push of another one.
 */
export async function unlinkAbandoned(parts: CollectionParts, { signal, tx }: Turn): Promise<void> {
  const { clock, collectionGraceMs, store, taxonomy } = parts
  const now = clock.now()
  // However short the grace is, a push in flight keeps its blobs.
  const touchedSince = formatMillis(now - Math.max(collectionGraceMs, pushMs))
  for await (const { value } of store.each(linkCollection)) {
    if (signal.aborted) return
    const { digest, repository_id, touch_time, workspace_id } = value
    const named = { repository_id, kind: 'BLOB', target: digest } as const
    if (touch_time > touchedSince || (await store.exists(referenceCollection, named))) continue
    await tx(async transaction => {
      await taxonomy.share(transaction, workspaceScope(workspace_id))
      const locked = await lockShrinking(transaction, repository_id)
      const { freedBytes } = await unlinkUnnamed(transaction, repository_id, [digest], { now, touchedSince })
      if (locked && freedBytes > 0) await chargeUsage(transaction, locked, { bytes: -freedBytes }, formatMillis(now))
    })
  }
}

/**
 * Deletes the blobs that no repository has had for the grace (registry.md 4.4). A blob is marked in the transaction that
 * found it without a link, so a push of its digest meanwhile writes another file; then its file is deleted, and its row
 * only if it still names that file. Marks of a server that ended meanwhile are found again.
 */
export async function collectBlobs(
  { blobs, clock, collectionGraceMs, store }: CollectionParts,
  { signal, tx }: Turn,
): Promise<void> {
  const limit = formatMillis(clock.now() - collectionGraceMs)
  for await (const { id, value } of store.each(blobCollection, { state: ['UNLINKED', 'DELETING'] })) {
    if (signal.aborted) return
    if (value.state === 'UNLINKED' && (value.unlinked_time ?? '') > limit) continue
    const file = await tx(async transaction => {
      const stored = await transaction.lock(blobCollection, id)
      if (!stored || stored.value.state === 'LINKED') return undefined
      if (stored.value.state === 'DELETING') return stored.value.file
      if ((stored.value.unlinked_time ?? '') > limit || (await transaction.exists(linkCollection, { digest: id })))
        return undefined
      await transaction.update(blobCollection, id, { ...stored.value, state: 'DELETING' }, stored.version)
      return stored.value.file
    })
    if (file === undefined) continue
    await blobs.remove(file)
    await tx(async transaction => {
      const stored = await transaction.lock(blobCollection, id)
      if (stored?.value.state === 'DELETING' && stored.value.file === file)
        await transaction.delete(blobCollection, id, stored.version)
    })
  }
}

/** Deletes bytes that no row names, of pushes that were cut off and of servers that ended before the commit. */
export async function collectLeftovers({ blobs, clock, store }: CollectionParts, { signal }: Turn): Promise<void> {
  for await (const bytes of blobs.olderThan(clock.now() - leftoverMs)) {
    if (signal.aborted) return
    if ('upload' in bytes) {
      if (!(await store.get(uploadCollection, bytes.upload))) await blobs.discard(bytes.upload)
    } else if (!(await isNamedFile(store, bytes.file))) await blobs.remove(bytes.file)
  }
}

/** Returns whether the row of a blob names a file, `blobs/<algorithm>/<2 hex>/<hex>.<id>`. */
async function isNamedFile(store: CollectionParts['store'], file: string): Promise<boolean> {
  const [, algorithm = '', , name = ''] = file.split('/')
  const [hex = ''] = name.split('.')
  return (await store.get(blobCollection, `${algorithm}:${hex}`))?.value.file === file
}
