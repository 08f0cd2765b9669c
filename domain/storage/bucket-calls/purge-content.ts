import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { contentCollection } from '../contents/contents-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { usageAfter } from '../objects/usage.ts'
import { metadataCollection, versionCollection, type StoredVersion } from '../objects/versions-store.ts'
import { purgeUploads } from '../uploads/purge-uploads.ts'
import { byName } from './bucket-contents.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'

/** The number of versions that one transaction deletes. */
const batchSize = 100

type Purging = Pick<StorageEnvironment, 'clock' | 'taxonomy'>

/**
 * Deletes a batch of the versions of a bucket, whatever protects them, and returns their bytes to the quotas. Returns
 * whether nothing is left; true for an absent bucket.
 */
export async function purgeBatch({ clock, taxonomy }: Purging, tx: Transaction, id: string): Promise<boolean> {
  const stored = await tx.lock(bucketCollection, id)
  if (!stored) return true
  const now = clock.now()
  const query = { size: batchSize, filter: undefined, order: byName, after: undefined, now }
  const versions = (await tx.page(versionCollection, query, { bucket_id: id })).items
  for (const each of versions) await deleteVersion(tx, each)
  await dropContents(
    tx,
    versions.map(({ value }) => value),
    now,
  )
  const before = stored.value
  const usage = usageAfter(
    before.usage,
    versions.map(({ value }) => ({ before: value })),
    now,
  )
  const after = { ...before, usage }
  if (versions.length > 0) await tx.update(bucketCollection, id, after, stored.version)
  await takeDifference(
    tx,
    taxonomy,
    before.workspace_id,
    bucketKind.takes?.(before) ?? [],
    bucketKind.takes?.(after) ?? [],
  )
  return versions.length < batchSize && purgeUploads({ clock, taxonomy }, tx, id)
}

async function deleteVersion(tx: Transaction, { id, version }: Stored<StoredVersion>): Promise<void> {
  await tx.delete(versionCollection, id, version)
  const metadata = await tx.get(metadataCollection, id)
  if (metadata) await tx.delete(metadataCollection, id, metadata.version)
}

/** Takes the references of deleted versions off their contents, in the order of the ids of the contents. */
async function dropContents(tx: Transaction, versions: readonly StoredVersion[], now: number): Promise<void> {
  const dropped = new Map<string, number>()
  for (const { content_id } of versions)
    if (content_id !== '') dropped.set(content_id, (dropped.get(content_id) ?? 0) + 1)
  for (const [id, count] of [...dropped].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const content = await tx.lock(contentCollection, id)
    if (!content) continue
    const references = content.value.references - count
    const next = { ...content.value, references, update_time: formatMillis(now) }
    await tx.update(contentCollection, id, next, content.version)
  }
}
