import { formatMillis, storedTimestamp } from '../../../runtime/timestamps.ts'
import type { Filter, FilterField, SortKey } from '../../../runtime/filter/types.ts'
import type { Collection, Reader, Stored, StoredPage, Where } from '../../ports/store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { nameField, nameRange } from '../objects/name-range.ts'
import { versionCollection, versionField, type StoredVersion } from '../objects/versions-store.ts'
import { uploadCollection, type StoredUpload } from '../uploads/uploads-store.ts'
import { durationMs } from '../../resources/durations.ts'
import { dayMs, removesNoncurrent, type Rule } from '../rules/due.ts'

/** The number of rows that one statement reads. */
const pageSize = 100

const timeField = (name: string): FilterField => ({ name, type: 'TIMESTAMP', operators: [], sortable: true })
const [createTime, updateTime] = [timeField('create_time'), timeField('update_time')]
const uploadField: FilterField = { name: 'id', type: 'STRING', operators: [], sortable: true }

type Pages<T> = AsyncGenerator<readonly Stored<T>[], void, undefined>
type Bucket = Pick<StoredBucket, 'id' | 'retention_policy' | 'versioning'>

/** The oldest rows of a bucket: those whose time is at least an age in the past. */
interface Aged {
  readonly field: FilterField
  readonly ageMs: number
}

/**
 * Iterates over pages of versions and delete markers that contain all those for which a rule is due; further rows may be
 * among them. Each statement reads the adjacent rows of an index. A rule with a prefix is read in two orders at once, by
 * age and by name, until either order ends: so neither many old objects with other names, nor many young objects with
 * the prefix, make the search long.
 */
export async function* versionsFor(reader: Reader, bucket: Bucket, rule: Rule, nowMs: number): Pages<StoredVersion> {
  const { prefix } = rule.condition
  // Markers come first, so that a run does not remove the markers that it has put itself.
  for (const is_delete_marker of [true, false]) {
    const where = { bucket_id: bucket.id, is_latest: !removesNoncurrent(rule), is_delete_marker }
    const aged = agedRows(bucket, rule, is_delete_marker)
    const byAge = aged && oldest(reader, where, aged, nowMs)
    const byName = pages(reader, versionCollection, where, [nameField, versionField], nameRange(prefix))
    yield* untilOneEnds(byAge && prefix !== '' ? [byAge, byName] : [byAge ?? byName])
  }
}

/** Iterates over pages of active uploads that are at least `age_days` old, oldest first. */
export async function* uploadsFor(
  reader: Reader,
  bucket: Bucket,
  { condition }: Rule,
  nowMs: number,
): Pages<StoredUpload> {
  const where = { bucket_id: bucket.id, state: 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE' } as const
  const filter = atMost(createTime, nowMs - (condition.age_days ?? 0) * dayMs)
  if (!filter) return
  yield* pages(reader, uploadCollection, where, [createTime, uploadField], [filter])
}

/** Returns the time that orders the versions of a rule, and the age that each version must have at least. */
function agedRows({ retention_policy, versioning }: Bucket, rule: Rule, isMarker: boolean): Aged | undefined {
  const { age_days, noncurrent_age_days } = rule.condition
  // A protected version waits in any case. Only a deletion that puts a marker destroys no version.
  const isDestroyed = !isMarker && (removesNoncurrent(rule) || versioning === 'STORAGE_VERSIONING_DISABLED')
  const protectedMs = isDestroyed && retention_policy ? durationMs(retention_policy.retention_period) : 0
  const ageMs = Math.max((age_days ?? 0) * dayMs, protectedMs)
  const noncurrentMs = (noncurrent_age_days ?? 0) * dayMs
  // No version ceases to be the latest before its creation, so the longer age leaves fewer rows.
  if (noncurrent_age_days !== undefined && noncurrentMs >= ageMs) return { field: updateTime, ageMs: noncurrentMs }
  return age_days === undefined && protectedMs === 0 ? undefined : { field: createTime, ageMs }
}

async function* oldest(
  reader: Reader,
  where: Where<StoredVersion>,
  { ageMs, field }: Aged,
  nowMs: number,
): Pages<StoredVersion> {
  const filter = atMost(field, nowMs - ageMs)
  if (filter) yield* pages(reader, versionCollection, where, [field, versionField], [filter])
}

/** Iterates over pages of the rows that pass all of some filters, in the order of some fields. */
async function* pages<T>(
  reader: Reader,
  collection: Collection<T>,
  where: Where<T>,
  fields: readonly FilterField[],
  terms: readonly Filter[],
): Pages<T> {
  const order = fields.map(field => ({ field, descending: false }))
  const filter: Filter | undefined = terms.length === 0 ? undefined : { kind: 'and', terms }
  let after: readonly SortKey[] | undefined
  do {
    const page: StoredPage<T> = await reader.page(collection, { size: pageSize, filter, order, after, now: 0 }, where)
    yield page.items
    after = page.next
  } while (after !== undefined)
}

/** Returns the filter for times up to `millis` since 1970; undefined for a time before 1970, when no row is old enough. */
function atMost(field: FilterField, millis: number): Filter | undefined {
  if (millis < 0) return undefined
  return { kind: 'compare', field, operator: '<=', value: storedTimestamp(formatMillis(millis)) ?? '' }
}

/** Takes pages from each iterator in turn, until one of them ends. */
async function* untilOneEnds<T>(iterators: readonly Pages<T>[]): Pages<T> {
  for (;;) {
    for (const iterator of iterators) {
      const next = await iterator.next()
      if (next.done) return
      yield next.value
    }
  }
}
