import type { Turn, Worker } from '../../ports/workers.ts'
import type { Collection, Transaction, Where } from '../../ports/store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { retentionMs } from './descriptors.ts'
import { isDelta } from './aggregate.ts'
import { gaugeCollection, hourCollection, hourMs, pointCollection, type StatPoint } from './points-store.ts'
import { pointBefore, pointsBetween } from './read-points.ts'

/** The number of points that one transaction deletes. */
const batchSize = 100

type Retaining = Pick<StorageEnvironment, 'clock' | 'store'>

/**
 * Returns the worker that deletes points after 30 days. The last gauge before that time stays, because it is the value
 * of the intervals after it.
 */
export const pointRetention = (environment: Retaining): Worker => ({
  name: 'storage.statistics',
  everyMs: hourMs,
  run: turn => retainPoints(environment, turn),
})

/** Deletes the points that are no longer needed. */
export async function retainPoints({ clock, store }: Retaining, turn: Turn): Promise<void> {
  const horizon = clock.now() - retentionMs
  for (const collection of [pointCollection, hourCollection]) {
    let batch: string[] = []
    for await (const point of pointsBetween(store, collection, {}, [0, horizon])) {
      if (turn.signal.aborted) return
      const last = isDelta(point.stat) || point.value === 0 ? undefined : await pointBefore(store, point, horizon)
      if (last?.id === point.id) continue
      batch.push(point.id)
      if (batch.length === batchSize) batch = await removed(turn, collection, batch)
    }
    await removed(turn, collection, batch)
  }
  await removeEnded({ store }, turn)
}

async function removed(turn: Turn, collection: Collection<StatPoint>, ids: readonly string[]): Promise<string[]> {
  await turn.tx(async tx => {
    for (const id of ids) await remove(tx, collection, id)
  })
  return []
}

async function remove<T>(tx: Transaction, collection: Collection<T>, id: string): Promise<void> {
  const stored = await tx.get(collection, id)
  if (stored) await tx.delete(collection, id, stored.version)
}

/** Deletes the last gauges of deleted buckets without points. */
async function removeEnded({ store }: Pick<Retaining, 'store'>, turn: Turn): Promise<void> {
  for await (const { id, value } of store.each(gaugeCollection)) {
    if (value.values.bucket_count > 0 || (await store.exists(pointCollection, { bucket_id: id }))) continue
    await turn.tx(tx => remove(tx, gaugeCollection, id))
  }
}

/** Deletes a batch of the statistics of a workspace that is purged; returns whether nothing is left. */
export async function purgeStatistics(tx: Transaction, workspace: string): Promise<boolean> {
  const where = { workspace_id: workspace }
  return (
    (await purgeSome(tx, pointCollection, where)) &&
    (await purgeSome(tx, hourCollection, where)) &&
    (await purgeSome(tx, gaugeCollection, where))
  )
}

async function purgeSome<T>(tx: Transaction, collection: Collection<T>, where: Where<T>): Promise<boolean> {
  let count = 0
  for await (const { id, version } of tx.each(collection, where)) {
    if (count === batchSize) return false
    await tx.delete(collection, id, version)
    count += 1
  }
  return true
}
