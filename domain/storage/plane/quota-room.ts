import type { Reader } from '../../ports/store.ts'
import { refusalOf } from '../../resources/refusal.ts'
import { requireBucketQuota } from '../buckets/bucket-quota.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'

/** The amounts that a body adds to the usage of a bucket, or that it replaces. */
export interface Held {
  /** The bytes of versions. */
  readonly bytes: number
  /** The bytes of parts of active uploads. */
  readonly incomplete: number
  readonly versions: number
}

/** A body whose declared length is known, and the amounts that it replaces. */
export interface Arrival {
  readonly added: Held
  /** Reads the amounts that the body replaces in a locked bucket; called only if the body lacks room beside it. */
  readonly replaced: (reader: Reader, bucket: StoredBucket) => Promise<Held>
}

/**
 * The shortest body in bytes for which the quotas of the workspace are read before the first byte: a shorter body arrives
 * as fast as its refusal, and most uploads are small.
 */
const earlyBytes = 65_536

/**
 * Throws QUOTA_EXCEEDED if a body exceeds the quotas of its bucket or its workspace, before its first byte is read. The
 * commit decides again, because nothing is reserved (storage.md 4.11).
 */
export async function requireQuotaRoom(
  { store, taxonomy }: Pick<StorageEnvironment, 'store' | 'taxonomy'>,
  bucket: StoredBucket,
  { added, replaced }: Arrival,
): Promise<void> {
  const require = async (reader: Reader, of: StoredBucket, dropped: Held): Promise<void> => {
    const { bytes, incomplete_upload_bytes, version_count } = of.usage
    requireBucketQuota(of, {
      ...of.usage,
      bytes: bytes + added.bytes - dropped.bytes,
      incomplete_upload_bytes: incomplete_upload_bytes + added.incomplete - dropped.incomplete,
      version_count: version_count + added.versions - dropped.versions,
    })
    const length = added.bytes + added.incomplete
    if (length < earlyBytes) return
    const amount = length - dropped.bytes - dropped.incomplete
    await taxonomy.requireRoom(reader, of.workspace_id, { quota: 'storage.bytes', amount })
  }
  if (!(await refusalOf(require(store, bucket, nothing)))) return
  await store.tx(async tx => {
    // The usage of the bucket and what the body replaces belong to one moment.
    const current = (await tx.lock(bucketCollection, bucket.id))?.value
    if (current) await require(tx, current, await replaced(tx, current))
  })
}

/** What a body replaces that replaces nothing. */
export const nothing: Held = { bytes: 0, incomplete: 0, versions: 0 }
