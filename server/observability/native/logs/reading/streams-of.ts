import type { LogTimes } from '../../../../../domain/observability/logs/log-engine.ts'
import type { LogStream } from '../../../../../output/observability/types.ts'
import { timeText } from '../../../../../domain/observability/logql/nano-time.ts'
import { streamId } from '../../../../../domain/observability/logs/stream-id.ts'
import { requireAwaited } from '../../calls/require-awaited.ts'
import type { KnownSeries } from '../../reading/series-catalog.ts'
import { firstAt } from './block-source.ts'
import type { LogDayReader, StreamSums } from './log-day-reader.ts'
import type { LogReader } from './log-reader.ts'

/** The sums of the kept entries of a stream. */
interface Kept {
  entries: number
  bytes: number
  first: bigint
  last: bigint
  /** Whether an entry lies between the times that are asked for. */
  isAsked: boolean
}

/**
 * Returns the streams with a kept entry between two times, with the sums of all their kept entries, by labels. Throws
 * ENGINE_UNAVAILABLE for an aborted call.
 */
export function streamsOf(
  reader: LogReader,
  { now, times: { before, from } }: { readonly times: LogTimes; readonly now: number },
  isAborted: () => boolean,
): readonly LogStream[] {
  const streams = new Map(reader.catalog.series.map(stream => [stream.id, stream]))
  const kept = new Map<KnownSeries, Kept>()
  for (const day of reader.days(-Infinity, Infinity)) {
    for (const sums of day.streams()) {
      requireAwaited(isAborted)
      const stream = streams.get(sums.stream)
      if (stream === undefined) continue
      const since = reader.keptFrom(stream, now)
      if (sums.last < since) continue
      const own = sums.first < since ? exactSums(day, sums.stream, since, maxTime) : sums
      if (own === undefined) continue
      add(kept, stream, own, hasEntry(day, own, from, before))
    }
  }
  return [...kept].filter(([, { isAsked }]) => isAsked).map(([stream, sums]) => answer(stream, sums))
}

/** A time after that of any entry. */
const maxTime = 2n ** 63n - 1n

function add(kept: Map<KnownSeries, Kept>, stream: KnownSeries, sums: StreamSums, isAsked: boolean): void {
  const known = kept.get(stream)
  if (known === undefined) {
    const { bytes, entries, first, last } = sums
    kept.set(stream, { bytes, entries, first, last, isAsked })
    return
  }
  known.entries += sums.entries
  known.bytes += sums.bytes
  if (sums.first < known.first) known.first = sums.first
  if (sums.last > known.last) known.last = sums.last
  known.isAsked ||= isAsked
}

/** Whether a stream has an entry between two times in a day, whose entries are between those of the sums. */
function hasEntry(day: LogDayReader, { first, last, stream }: StreamSums, from: bigint, before: bigint): boolean {
  if (last < from || first >= before) return false
  if (first >= from || last < before) return true
  return exactSums(day, stream, from, before) !== undefined
}

/** Returns the sums of the entries of a stream between two times of a day, from the entries; undefined without entries. */
function exactSums(day: LogDayReader, stream: number, from: bigint, before: bigint): StreamSums | undefined {
  let sums: { entries: number; bytes: number; first: bigint; last: bigint } | undefined
  for (const head of day.between(from, before)) {
    const run = head.runs.streams.indexOf(stream)
    if (run < 0) continue
    const block = day.read(head)
    const end = firstAt(block, before, head.runs.ends[run - 1] ?? 0, head.runs.ends[run] ?? 0)
    const start = firstAt(block, from, head.runs.ends[run - 1] ?? 0, end)
    if (start === end) continue
    const [first, last] = [block.time(start), block.time(end - 1)]
    sums ??= { entries: 0, bytes: 0, first, last }
    sums.entries += end - start
    sums.bytes += (block.lineEnds[end - 1] ?? 0) - block.lineStart(start)
    if (first < sums.first) sums.first = first
    if (last > sums.last) sums.last = last
  }
  return sums && { stream, ...sums }
}

const answer = ({ labels }: KnownSeries, { bytes, entries, first, last }: Kept): LogStream => ({
  id: streamId(labels),
  labels,
  first_time: timeText(first),
  last_time: timeText(last),
  entry_count: entries,
  bytes,
})
