import type { TailPage, TailRead } from '../../../../../domain/observability/logs/log-engine.ts'
import { tailEntry } from '../../../../../domain/observability/logs/tail-entry.ts'
import type { EntryFilter } from '../../../../../domain/observability/logql/entry-filter.ts'
import type { KnownSeries } from '../../reading/series-catalog.ts'
import type { EntryBlock } from '../format/entry-block.ts'
import type { BlockHead } from './log-day-reader.ts'
import type { LogReader } from './log-reader.ts'

/** The bytes of lines that one read looks at. */
const windowBytes = 16 * 1024 * 1024

/** The place of an entry that fits the query. */
interface Found {
  readonly number: number
  readonly stream: KnownSeries
  readonly block: EntryBlock
  readonly index: number
}

/**
 * Returns the next entries that fit a query, in the order of ingest numbers. Looks at about 16 MiB of lines: the position
 * of the page tells how far.
 */
export function tailEntries(
  reader: LogReader,
  { after, last, limit }: Omit<TailRead, 'query'>,
  filter: EntryFilter,
  now: number,
): TailPage {
  const { boundary, heads } = windowOf(reader, after, last)
  const streams = new Map(
    reader.catalog.series
      .filter(({ labels }) => filter.selects(labels))
      .map(stream => [stream.id, [stream, reader.keptFrom(stream, now)] as const]),
  )
  const found: Found[] = []
  const present: number[] = []
  for (const head of heads) {
    const block = head.file.read(head)
    let index = 0
    for (const [run, end] of head.runs.ends.entries()) {
      const [stream, keptFrom = 0n] = streams.get(head.runs.streams[run] ?? 0) ?? []
      for (; index < end; index += 1) {
        const number = block.number(index)
        if (number <= after || number > boundary) continue
        const isOver = stream !== undefined && block.time(index) < keptFrom
        if (!isOver) present.push(number)
        if (!isOver && stream && filter.show(stream.labels, block.entry(index)))
          found.push({ number, stream, block, index })
      }
    }
  }
  found.sort((one, other) => one.number - other.number)
  const position = found.length > limit ? (found[limit - 1]?.number ?? boundary) : boundary
  const seen = present.reduce((count, number) => (number <= position ? count + 1 : count), 0)
  return {
    entries: found.slice(0, limit).flatMap(({ block, index, stream }) => {
      const shown = filter.show(stream.labels, block.entry(index))
      return shown === undefined ? [] : [tailEntry(shown)]
    }),
    position,
    skipped: position - after - seen,
  }
}

/** Returns the blocks and parts of a read, and the number up to which they have all entries. */
function windowOf(
  reader: LogReader,
  after: number,
  last: number,
): { readonly heads: readonly BlockHead[]; readonly boundary: number } {
  const heads = reader
    .days(-Infinity, Infinity)
    .flatMap(day => day.numbered(after, last))
    .sort((one, other) => one.firstNumber - other.firstNumber)
  let bytes = 0
  for (const [i, head] of heads.entries()) {
    const before = head.firstNumber - 1
    if (bytes > windowBytes && before > after) return { heads: heads.slice(0, i), boundary: before }
    bytes += head.bytes
  }
  return { heads, boundary: last }
}

/**
 * Returns the greatest ingest number before the entries that came in at `since` or later, in milliseconds since 1970;
 * undefined without such entries.
 */
export function numberBefore(reader: LogReader, since: number): number | undefined {
  let least = Infinity
  for (const day of reader.days(-Infinity, Infinity)) {
    for (const head of day.ingestedSince(since)) {
      if (head.firstNumber >= least) continue
      least = Math.min(least, head.firstIngest >= since ? head.firstNumber : leastSince(head, since))
    }
  }
  return Number.isFinite(least) ? least - 1 : undefined
}

function leastSince(head: BlockHead, since: number): number {
  const block = head.file.read(head)
  let least = Infinity
  for (let index = 0; index < block.length; index += 1)
    if (block.ingestTime(index) >= since) least = Math.min(least, block.number(index))
  return least
}
