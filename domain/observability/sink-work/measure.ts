import { durationMs } from '../../resources/durations.ts'
import type { LinesPage, SinkSourceReader } from '../sinks/sink-lines.ts'
import type { StoredLogSink } from '../sinks/log-sinks-store.ts'
import type { SinkBatch } from '../sinks/sink-exports-store.ts'
import { pageBytes } from './batch-lines.ts'
import { maxRequestBytes } from './send-lines.ts'

/** What a look at the entries after the position of an export has found so far. It grows until a batch is made of it. */
export interface Measure {
  /** The number up to which all entries were looked at. */
  readonly position: number
  readonly entries: number
  /** The bytes of the lines. */
  readonly bytes: number
  readonly range?: LinesPage['range']
  /** Whether a further entry has no room in the batch. */
  readonly isFull: boolean
}

/** Returns the measure of an export before its first look. */
export const unmeasured = (position: number): Measure => ({ position, entries: 0, bytes: 0, isFull: false })

/** The largest number of reads of one look. */
const mostReads = 64

/** Looks at the entries after a measure, until there are no more entries or the batch is full. */
export async function measure(
  source: SinkSourceReader,
  sink: StoredLogSink,
  before: Measure,
  last: number,
): Promise<Measure> {
  const limit = sink.destination.bucket?.max_object_bytes ?? maxRequestBytes
  const rules = { filter: sink.filter, exclusions: sink.exclusions }
  let now = before
  for (let reads = 0; reads < mostReads && now.position < last && !now.isFull; reads += 1) {
    const room = Math.max(0, limit - now.bytes)
    const read = { rules, after: now.position, last, maxBytes: Math.min(room, pageBytes) }
    const page = await source.read({ ...read, mayExceed: now.entries === 0, withText: false })
    now = {
      position: page.position,
      entries: now.entries + page.entries,
      bytes: now.bytes + page.bytes,
      ...(page.range && {
        range: { ...page.range, ...(now.range && { first: now.range.first, firstTime: now.range.firstTime }) },
      }),
      ...(!page.range && now.range && { range: now.range }),
      // A page that is smaller than the room ends before the batch is full.
      isFull: page.isFull && (room <= pageBytes || page.entries === 0),
    }
  }
  return now
}

/** Returns the batch of a measure if its time has come; undefined without entries, or if more entries are collected. */
export function dueBatch(
  { destination: { bucket }, exclusions, filter }: StoredLogSink,
  { isFull, position, range }: Measure,
  now: number,
): SinkBatch | undefined {
  if (range === undefined) return undefined
  const { first, firstTime: first_time, last } = range
  const dueMs = bucket === undefined ? 0 : Date.parse(first_time) + durationMs(bucket.flush_interval)
  return isFull || now >= dueMs ? { first, last, position, first_time, rules: { filter, exclusions } } : undefined
}
