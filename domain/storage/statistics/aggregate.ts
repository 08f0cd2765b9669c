import { statUnknown } from '../../../output/storage/errors.ts'
import type {
  AggregatedStat,
  AggregateStatsResponse,
  ParsedAggregateBucketStatsRequest,
} from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader } from '../../ports/store.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { deltaNames, descriptors, gaugeNames, gaugesOf, type DeltaName, type StatName } from './descriptors.ts'
import { requireScope } from './find-scope.ts'
import { hourCollection, hourMs, pointCollection } from './points-store.ts'
import { pointsBetween } from './read-points.ts'

const dayMs = 24 * hourMs

/** The sums of statistics, keyed by the group and the statistic. */
type Sums = Map<string, { readonly group: AggregatedStat['group']; readonly values: Map<StatName, number> }>

/** Returns the present gauges of buckets, and the deltas of the last 24 hours (storage.md 3). */
export async function aggregate(
  { store, taxonomy }: StorageEnvironment,
  request: ParsedAggregateBucketStatsRequest,
  { now }: CallContext,
): Promise<AggregateStatsResponse> {
  const names = requestedStats(request.stats)
  await requireScope(store, taxonomy, request)
  const sums: Sums = new Map()
  const groups = new Map<string, string>()
  if (request.group_by === 'STORAGE_STAT_GROUP_BY_NONE') groupOf(sums, '', { bucket_id: request.bucket_id ?? '' })
  const where = { workspace_id: request.workspace, engine: request.engine }
  for await (const { id, value } of store.each(bucketCollection, { ...where, ...idIs(request.bucket_id) })) {
    const [key, group] = keyOf(request, id, value.storage_class)
    groups.set(id, key)
    const gauges = gaugesOf(value.usage)
    const { values } = groupOf(sums, key, group)
    for (const name of gaugeNames) values.set(name, (values.get(name) ?? 0) + gauges[name])
  }
  for await (const { bucket_id, stat, value } of traffic(store, request, names, now)) {
    // The traffic of deleted buckets counts for the whole workspace alone.
    const key = groups.get(bucket_id) ?? (request.group_by === 'STORAGE_STAT_GROUP_BY_NONE' ? '' : undefined)
    const values = key === undefined ? undefined : sums.get(key)?.values
    values?.set(stat, (values.get(stat) ?? 0) + value)
  }
  return { stats: [...sums.values()].flatMap(({ group, values }) => answered(names, group, values, now)) }
}

function answered(
  names: readonly StatName[],
  group: AggregatedStat['group'],
  values: ReadonlyMap<StatName, number>,
  now: number,
): AggregatedStat[] {
  return descriptors.flatMap(({ name, unit }) => {
    const stat = names.find(each => each === name)
    return stat ? [{ stat, value: values.get(stat) ?? 0, unit, group, as_of_time: formatMillis(now) }] : []
  })
}

function groupOf(sums: Sums, key: string, group: Partial<AggregatedStat['group']>) {
  const known = sums.get(key) ?? { group: { bucket_id: '', storage_class: '', ...group }, values: new Map() }
  sums.set(key, known)
  return known
}

function keyOf(
  { bucket_id = '', group_by }: ParsedAggregateBucketStatsRequest,
  id: string,
  storage_class: string,
): readonly [key: string, group: Partial<AggregatedStat['group']>] {
  if (group_by === 'STORAGE_STAT_GROUP_BY_BUCKET') return [id, { bucket_id: id }]
  if (group_by === 'STORAGE_STAT_GROUP_BY_STORAGE_CLASS') return [storage_class, { bucket_id, storage_class }]
  return ['', { bucket_id }]
}

const idIs = (bucket_id: string | undefined) => (bucket_id === undefined ? {} : { id: bucket_id })

/**
 * Iterates over the deltas of the last 24 hours: the points of the first, incomplete hour, and the sums of the hours
 * after it.
 */
async function* traffic(
  reader: Reader,
  { bucket_id, engine, workspace }: ParsedAggregateBucketStatsRequest,
  names: readonly StatName[],
  now: number,
) {
  const stat = deltaNames.filter(name => names.includes(name))
  if (stat.length === 0) return
  const where = { workspace_id: workspace, engine, stat, ...(bucket_id !== undefined && { bucket_id }) }
  const from = now - dayMs
  const firstHour = Math.ceil(from / hourMs) * hourMs
  yield* pointsBetween(reader, pointCollection, where, [from, firstHour])
  yield* pointsBetween(reader, hourCollection, where, [firstHour, now + 1])
}

/** Returns the statistics that a query names; all of them if it names none. Throws STAT_UNKNOWN. */
function requestedStats(given: readonly string[] | undefined): readonly StatName[] {
  const known: readonly StatName[] = [...gaugeNames, ...deltaNames]
  if (given === undefined || given.length === 0) return known
  for (const name of given) requireStat(name, 'stats')
  return known.filter(name => given.includes(name))
}

/** Returns the statistic with this name. Throws STAT_UNKNOWN at `field`. */
export function requireStat(given: string, field: string): StatName {
  const known = [...gaugeNames, ...deltaNames].find(name => name === given)
  if (known) return known
  const names = [...gaugeNames, ...deltaNames].join(', ')
  throw faultAt(statUnknown, field, `no statistic is called ${given.slice(0, 80)}; the statistics are ${names}`)
}

export const isDelta = (name: StatName): name is DeltaName => deltaNames.some(each => each === name)
