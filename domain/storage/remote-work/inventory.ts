import type { BucketUsage } from '../../../output/storage/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Turn, Worker } from '../../ports/workers.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import { storeOf, type BucketStore } from '../remote-buckets/bucket-store.ts'
import { firstVersions } from '../remote-buckets/empty-bucket.ts'
import { remoteCollection } from '../remote-buckets/remote-rows.ts'
import { isFault } from '../remote-store/remote-fault.ts'
import { measureUploads } from './measure-uploads.ts'
import { dropOrphans } from './orphans.ts'
import type { Converging } from './converging.ts'

/** The longest time between two looks for buckets whose inventory is due, in milliseconds. */
const mostMs = 10_000

const deleting = 'STORAGE_BUCKET_STATE_DELETING'

type Counts = Omit<BucketUsage, 'as_of_time'>

/**
 * Returns the worker that counts the content of the buckets on S3 stores, and deletes empty buckets there that have no
 * row. The last inventory of a bucket is the time of its usage, so that a restart repeats none.
 */
export function inventoryWorker(environment: Converging): Worker {
  let orphansMs = 0
  return {
    name: 'storage.s3Inventory',
    everyMs: Math.min(mostMs, environment.remoteLimits.inventoryMs),
    async run(turn) {
      await countBuckets(environment, turn)
      const now = environment.clock.now()
      if (turn.signal.aborted || now < orphansMs) return
      orphansMs = now + environment.remoteLimits.inventoryMs
      await dropOrphans(environment, turn)
    },
  }
}

async function countBuckets(environment: Converging, turn: Turn): Promise<void> {
  const { clock, failed, remoteLimits, store } = environment
  for await (const { id } of store.each(remoteCollection, { state: 'KEPT' })) {
    if (turn.signal.aborted) return
    const bucket = (await store.get(bucketCollection, id))?.value
    if (!bucket || bucket.state === deleting) continue
    const isDue = Date.parse(bucket.usage.as_of_time) + remoteLimits.inventoryMs <= clock.now()
    if (!isDue && bucket.state !== 'STORAGE_BUCKET_STATE_ERROR') continue
    try {
      await countBucket(environment, turn, bucket)
    } catch (error) {
      if (turn.signal.aborted) return
      failed(error, `${bucketKind.type} ${id}`)
    }
  }
}

/** Counts the content of a bucket; a bucket that is gone in its store, or refused, gets the state ERROR. */
async function countBucket(environment: Converging, turn: Turn, bucket: StoredBucket): Promise<void> {
  try {
    const place = await storeOf(environment, bucket)
    const counts = await countContent(place, bucket, turn)
    if (!counts) return
    const incomplete_upload_bytes = await measureUploads(environment, turn, place, bucket)
    await writeCounts(environment, turn, bucket.id, { ...counts, incomplete_upload_bytes })
  } catch (error) {
    if (!isFault(error, 'bucket', 'refused')) throw error
    await writeCounts(environment, turn, bucket.id, undefined)
    if (bucket.state !== 'STORAGE_BUCKET_STATE_ERROR') throw error
  }
}

/** Returns the counts of all versions of a bucket; undefined if the turn ends before. */
async function countContent(
  { name, store }: BucketStore,
  bucket: StoredBucket,
  { signal }: Turn,
): Promise<Omit<Counts, 'incomplete_upload_bytes'> | undefined> {
  const counts = { object_count: 0, version_count: 0, bytes: 0, noncurrent_bytes: 0 }
  let after: readonly string[] | undefined
  do {
    if (signal.aborted) return undefined
    const { next, versions } = await firstVersions(store, name, bucket, 1000, after)
    for (const { isDeleteMarker, isLatest, size } of versions) {
      if (isDeleteMarker) continue
      counts.version_count += 1
      counts.bytes += size
      if (isLatest) counts.object_count += 1
      else counts.noncurrent_bytes += size
    }
    after = next
  } while (after)
  return counts
}

/** Writes the counts of a bucket with its part of the quotas, which are in use already; without counts, the state ERROR. */
const writeCounts = (
  { clock, taxonomy }: Converging,
  turn: Turn,
  id: string,
  counts: Counts | undefined,
): Promise<void> =>
  turn.tx(async tx => {
    const found = await tx.get(bucketCollection, id)
    if (!found) return
    await taxonomy.share(tx, workspaceScope(found.value.workspace_id))
    const stored = await tx.lock(bucketCollection, id)
    if (!stored || stored.value.state === deleting) return
    const before = stored.value
    const time = formatMillis(clock.now())
    const state = counts ? 'STORAGE_BUCKET_STATE_ACTIVE' : 'STORAGE_BUCKET_STATE_ERROR'
    const usage = { ...(counts ?? before.usage), as_of_time: time }
    const update_time = state === before.state ? before.update_time : time
    const after = { ...before, state, usage, update_time } as const
    await tx.update(bucketCollection, id, after, stored.version)
    const amount = heldBytes(after) - heldBytes(before)
    if (amount !== 0)
      await taxonomy.consume(tx, before.workspace_id, [{ quota: 'storage.bytes', amount }], { isMeasured: true })
  })

const heldBytes = ({ usage }: Pick<StoredBucket, 'usage'>): number => usage.bytes + usage.incomplete_upload_bytes
