import type { Stored, Transaction } from '../../ports/store.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { NativeTask } from '../native/native-worker.ts'
import { deltaNames, gaugeNames, gaugesOf } from './descriptors.ts'
import { gaugeCollection, hourCollection, hourMs, minuteMs, pointCollection, writePoint } from './points-store.ts'
import type { Counted } from './traffic.ts'

/** The number of buckets whose points one transaction writes. */
const batchSize = 50

/** Stores the traffic since the last run. */
export const recordTraffic: NativeTask<'traffic'> = async ({ traffic }, turn) => {
  const counted = traffic.take()
  for (let i = 0; i < counted.length; i += batchSize) {
    const batch = counted.slice(i, i + batchSize)
    try {
      await turn.tx(tx => storeTraffic(tx, batch))
    } catch (error) {
      traffic.putBack(counted.slice(i))
      throw error
    }
  }
}

async function storeTraffic(tx: Transaction, counted: readonly Counted[]): Promise<void> {
  for (const { atMs: nowMs, counts, of } of counted) {
    // The counts of a bucket that was deleted in the meantime have no reader.
    if (!(await tx.exists(bucketCollection, { id: of.bucket_id }))) continue
    for (const stat of deltaNames) {
      const amount = counts[stat] ?? 0
      if (amount === 0) continue
      const add = (before: number): number => before + amount
      await writePoint(tx, pointCollection, of, { intervalMs: minuteMs, nowMs, stat }, add)
      await writePoint(tx, hourCollection, of, { intervalMs: hourMs, nowMs, stat }, add)
    }
  }
}

/** Stores the gauges of all buckets that have changed since the last run. */
export const recordGauges: NativeTask<'clock' | 'store'> = async ({ clock, store }, turn) => {
  let batch: string[] = []
  const write = async (): Promise<void> => {
    const ids = batch
    batch = []
    await turn.tx(async tx => {
      for (const id of ids) await storeGauges(tx, id, clock.now())
    })
  }
  for await (const { id, value } of store.each(bucketCollection)) {
    if (turn.signal.aborted) return
    if (await isRecorded(store.get(gaugeCollection, id), value)) continue
    batch.push(id)
    if (batch.length === batchSize) await write()
  }
  if (batch.length > 0) await write()
}

async function isRecorded(
  reading: Promise<Stored<{ readonly values: ReturnType<typeof gaugesOf> }> | undefined>,
  { usage }: StoredBucket,
): Promise<boolean> {
  const known = (await reading)?.value.values
  const now = gaugesOf(usage)
  return known !== undefined && gaugeNames.every(name => known[name] === now[name])
}

/** Writes a point for each gauge of a bucket that has changed. The bucket is locked against its deletion. */
async function storeGauges(tx: Transaction, id: string, nowMs: number): Promise<void> {
  const bucket = await tx.share(bucketCollection, id)
  if (bucket) await writeGauges(tx, bucket.value, gaugesOf(bucket.value.usage), nowMs)
}

/** Sets the gauges of a bucket that is deleted to 0, in the transaction that deletes the bucket. */
export async function endGauges(tx: Transaction, bucket: StoredBucket, nowMs: number): Promise<void> {
  if (!(await tx.get(gaugeCollection, bucket.id))) return
  const none = { object_count: 0, version_count: 0, bytes: 0, noncurrent_bytes: 0, incomplete_upload_bytes: 0 }
  await writeGauges(tx, bucket, { ...gaugesOf({ ...none, as_of_time: '' }), bucket_count: 0 }, nowMs)
}

async function writeGauges(
  tx: Transaction,
  { engine, id: bucket_id, workspace_id }: StoredBucket,
  values: ReturnType<typeof gaugesOf>,
  nowMs: number,
): Promise<void> {
  const known = await tx.get(gaugeCollection, bucket_id)
  const of = { workspace_id, engine, bucket_id }
  const changed = gaugeNames.filter(name => values[name] !== (known?.value.values[name] ?? 0))
  for (const stat of changed)
    await writePoint(tx, pointCollection, of, { intervalMs: minuteMs, nowMs, stat }, () => values[stat])
  const row = { ...of, values }
  if (!known) await tx.insert(gaugeCollection, row)
  else if (changed.length > 0) await tx.update(gaugeCollection, bucket_id, row, known.version)
}
