import { formatMillis } from '../../../runtime/timestamps.ts'
import type { FilterField, ListFields } from '../../../runtime/filter/types.ts'
import type { Collection, Transaction } from '../../ports/store.ts'
import type { GaugeName, StatName } from './descriptors.ts'

/** A value of a statistic of a bucket: a gauge after its last change in an interval, or the sum of a delta. */
export interface StatPoint {
  /** `<bucket id>/<statistic>/<time>`. */
  readonly id: string
  readonly workspace_id: string
  readonly engine: string
  readonly bucket_id: string
  readonly stat: StatName
  /** The start of the interval. */
  readonly time: string
  readonly value: number
}

export const minuteMs = 60_000
export const hourMs = 3_600_000

const text = (name: string): FilterField => ({ name, type: 'STRING', operators: ['='] })

/** The field of the time of a point, by which points are filtered and sorted. */
const timeField: FilterField = { name: 'time', type: 'TIMESTAMP', operators: ['<', '<=', '>', '>='], sortable: true }

/** The fields of points for reads of a range of time. No call lists points. */
export const pointFields: ListFields = {
  fields: [timeField, text('id')],
  defaultOrder: 'time asc',
  key: 'id',
}

const columns = {
  workspace_id: 'STRING',
  engine: 'STRING',
  bucket_id: 'STRING',
  stat: 'STRING',
  value: 'INTEGER',
} as const

const indexes = [
  ['workspace_id', 'engine', 'stat', 'time'],
  ['bucket_id', 'stat', 'time'],
] as const

/** The points of all buckets, one for each minute with a change. */
export const pointCollection: Collection<StatPoint> = {
  name: 'storage_stat_points',
  id: 'id',
  list: pointFields,
  columns,
  indexes,
}

/** The sums of deltas of all buckets for each hour, so that the sum of a day reads few rows. */
export const hourCollection: Collection<StatPoint> = {
  name: 'storage_stat_hours',
  id: 'id',
  list: pointFields,
  columns,
  indexes,
}

/** The last recorded gauges of a bucket. The row of a deleted bucket stays as long as its points. */
export interface StoredGauges {
  readonly bucket_id: string
  readonly workspace_id: string
  readonly engine: string
  readonly values: Readonly<Record<GaugeName, number>>
}

/** The last recorded gauges of all buckets. */
export const gaugeCollection: Collection<StoredGauges> = {
  name: 'storage_stat_gauges',
  id: 'bucket_id',
  columns: { workspace_id: 'STRING', engine: 'STRING' },
  indexes: [['workspace_id', 'engine']],
}

/** The bucket of a point. */
export type PointOf = Pick<StatPoint, 'workspace_id' | 'engine' | 'bucket_id'>

/** Writes the point of a statistic in the interval with `nowMs`; `change` computes the value from the value before. */
export async function writePoint(
  tx: Transaction,
  collection: Collection<StatPoint>,
  of: PointOf,
  { intervalMs, nowMs, stat }: { readonly intervalMs: number; readonly nowMs: number; readonly stat: StatName },
  change: (before: number) => number,
): Promise<void> {
  const time = formatMillis(Math.floor(nowMs / intervalMs) * intervalMs)
  const id = `${of.bucket_id}/${stat}/${time}`
  const stored = await tx.get(collection, id)
  const { bucket_id, engine, workspace_id } = of
  const point = { id, workspace_id, engine, bucket_id, stat, time, value: change(stored?.value.value ?? 0) }
  if (stored) await tx.update(collection, id, point, stored.version)
  else await tx.insert(collection, point)
}
