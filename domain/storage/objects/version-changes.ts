import { bucketDeleting, bucketNotFound } from '../../../output/storage/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import { dropReference } from '../contents/references.ts'
import { requireBucketQuota } from '../buckets/bucket-quota.ts'
import { usageAfter, type VersionChange } from './usage.ts'
import { metadataCollection, newestFirst, versionCollection, type StoredVersion } from './versions-store.ts'

/** The number of digits of `commit_number`: more than a bucket can ever need. */
const commitDigits = 16

/** The changes of the objects of one bucket in one transaction, which has locked the bucket. */
export class VersionChanges {
  readonly #tx: Transaction
  readonly #stored: Stored<StoredBucket>
  readonly #nowMs: number
  readonly #changes: VersionChange[] = []
  #commit: number
  #incomplete = 0

  private constructor(tx: Transaction, stored: Stored<StoredBucket>, nowMs: number) {
    this.#tx = tx
    this.#stored = stored
    this.#nowMs = nowMs
    this.#commit = Number(stored.value.commit_number)
  }

  /** Locks a bucket for changes of its objects. Throws BUCKET_NOT_FOUND and BUCKET_DELETING. */
  static async begin(tx: Transaction, bucket: string, nowMs: number): Promise<VersionChanges> {
    const changes = await VersionChanges.lock(tx, bucket, nowMs)
    changes.requireUsable()
    return changes
  }

  /** Locks a bucket as `begin` does, but in every state. Throws BUCKET_NOT_FOUND. */
  static async lock(tx: Transaction, bucket: string, nowMs: number): Promise<VersionChanges> {
    const changes = await VersionChanges.find(tx, bucket, nowMs)
    if (!changes) throw absentBucket(bucket)
    return changes
  }

  /** Locks a bucket as `lock` does; returns undefined if the bucket does not exist. */
  static async find(tx: Transaction, bucket: string, nowMs: number): Promise<VersionChanges | undefined> {
    const stored = await tx.lock(bucketCollection, bucket)
    return stored && new VersionChanges(tx, stored, nowMs)
  }

  /** Throws BUCKET_DELETING for a bucket that is being deleted. */
  requireUsable(): void {
    requireUsable(this.bucket)
  }

  /** Adds bytes of parts of active uploads to the usage; negative for bytes that leave it. */
  addIncomplete(bytes: number): void {
    this.#incomplete += bytes
  }

  get bucket(): StoredBucket {
    return this.#stored.value
  }

  /** Returns the latest version of an object, which may be a delete marker. */
  latest(name: string): Promise<Stored<StoredVersion> | undefined> {
    return this.#tx.find(versionCollection, { bucket_id: this.bucket.id, name, is_latest: true })
  }

  /** Inserts a version or delete marker on top of the versions of its name. The latest version before stays. */
  async put(version: Omit<StoredVersion, 'commit_number' | 'is_latest'>): Promise<void> {
    const before = await this.latest(version.name)
    if (before) await this.#change(before, { is_latest: false, update_time: formatMillis(this.#nowMs) })
    this.#commit += 1
    const commit_number = String(this.#commit).padStart(commitDigits, '0')
    const after = { ...version, commit_number, is_latest: true }
    await this.#tx.insert(versionCollection, after)
    this.#changes.push({ after })
  }

  /**
   * Deletes a version for good. The version before becomes the latest version if the deleted version was the latest,
   * unless `isReplaced` says that the next call puts another version on top.
   */
  async remove(
    { id, value, version }: Stored<StoredVersion>,
    { isReplaced = false }: { readonly isReplaced?: boolean } = {},
  ): Promise<void> {
    await this.#tx.delete(versionCollection, id, version)
    this.#changes.push({ before: value })
    if (!value.is_delete_marker) await this.#dropContent(value)
    if (!value.is_latest || isReplaced) return
    const [below] = await this.#newest(value.name)
    if (below) await this.#change(below, { is_latest: true, update_time: below.value.create_time })
  }

  /**
   * Writes the usage of the bucket, and takes the quotas of the bucket, then those of the workspace. Throws
   * QUOTA_EXCEEDED.
   */
  async end(taxonomy: Pick<Taxonomy, 'consume'>): Promise<void> {
    const { id, value: bucket, version } = this.#stored
    const before = bucket.usage
    const usage = {
      ...usageAfter(before, this.#changes, this.#nowMs),
      incomplete_upload_bytes: before.incomplete_upload_bytes + this.#incomplete,
    }
    requireBucketQuota(bucket, usage)
    await this.#tx.update(bucketCollection, id, { ...bucket, usage, commit_number: `${this.#commit}` }, version)
    const bytes = usage.bytes - before.bytes + this.#incomplete
    if (bytes !== 0) await taxonomy.consume(this.#tx, bucket.workspace_id, [{ quota: 'storage.bytes', amount: bytes }])
  }

  async #change({ id, value, version }: Stored<StoredVersion>, members: Partial<StoredVersion>): Promise<void> {
    const after = { ...value, ...members }
    await this.#tx.update(versionCollection, id, after, version)
    this.#changes.push({ before: value, after })
  }

  async #dropContent({ content_id, version_id }: StoredVersion): Promise<void> {
    const metadata = await this.#tx.get(metadataCollection, version_id)
    if (metadata) await this.#tx.delete(metadataCollection, version_id, metadata.version)
    await dropReference(this.#tx, content_id, this.#nowMs)
  }

  async #newest(name: string): Promise<readonly Stored<StoredVersion>[]> {
    const query = { size: 1, filter: undefined, order: newestFirst, after: undefined, now: this.#nowMs }
    return (await this.#tx.page(versionCollection, query, { bucket_id: this.bucket.id, name })).items
  }
}

/** Returns BUCKET_NOT_FOUND. */
export const absentBucket = (id: string) =>
  bucketNotFound(`no bucket has the id ${id.slice(0, 80)}`, { resource: { type: 'storage.buckets', name: id } })

/** Throws BUCKET_DELETING for a bucket that is being deleted. */
export function requireUsable({ id, state }: Pick<StoredBucket, 'id' | 'state'>): void {
  if (state !== 'STORAGE_BUCKET_STATE_DELETING') return
  throw bucketDeleting(`bucket ${id} is being deleted; use another bucket`, {
    precondition: [{ type: 'STATE', subject: id, description: 'the bucket must not be in deletion' }],
  })
}
