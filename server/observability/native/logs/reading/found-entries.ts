import type { StoredEntry } from '../../../../../domain/observability/logql/entry-source.ts'
import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'
import type { KnownSeries } from '../../reading/series-catalog.ts'
import type { EntryBlock } from '../format/entry-block.ts'
import type { BlockHead } from './log-day-reader.ts'
import type { LogReader } from './log-reader.ts'

/** The place of an entry that is wanted. */
export interface FoundEntry {
  readonly number: number
  readonly stream: KnownSeries
  readonly block: EntryBlock
  readonly index: number
}

/** The conditions that wanted entries fit. */
export interface WantedEntries {
  /** Whether entries of a stream may be wanted. */
  selects(stream: Labels): boolean
  /** Whether an entry of a selected stream is wanted. */
  takes(stream: Labels, entry: StoredEntry): boolean
}

/** The wanted entries of a window, in the order of ingest numbers. */
export interface FoundEntries {
  readonly found: readonly FoundEntry[]
  /** The number up to which all entries were looked at. */
  readonly boundary: number
  /** The numbers of the entries that the retention has left, wanted or not. */
  readonly present: readonly number[]
}

/** A read of the entries with numbers greater than `after` and up to `last`, as far as the window reaches. */
interface WindowRead {
  readonly after: number
  readonly last: number
  /** The bytes of lines that the read looks at. */
  readonly windowBytes: number
}

/** Finds the wanted entries with the next ingest numbers. Entries that are older than their retention are left out. */
export function findEntries(reader: LogReader, read: WindowRead, wanted: WantedEntries, now: number): FoundEntries {
  const { boundary, heads } = windowOf(reader, read)
  const streams = new Map(
    reader.catalog.series
      .filter(({ labels }) => wanted.selects(labels))
      .map(stream => [stream.id, [stream, reader.keptFrom(stream, now)] as const]),
  )
  const found: FoundEntry[] = []
  const present: number[] = []
  for (const head of heads) {
    const block = head.file.read(head)
    let index = 0
    for (const [run, end] of head.runs.ends.entries()) {
      const [stream, keptFrom = 0n] = streams.get(head.runs.streams[run] ?? 0) ?? []
      for (; index < end; index += 1) {
        const number = block.number(index)
        if (number <= read.after || number > boundary) continue
        const isOver = stream !== undefined && block.time(index) < keptFrom
        if (!isOver) present.push(number)
        if (!isOver && stream && wanted.takes(stream.labels, block.entry(index)))
          found.push({ number, stream, block, index })
      }
    }
  }
  return { found: found.sort((one, other) => one.number - other.number), boundary, present }
}

/** Returns the blocks and parts of a read, and the number up to which they have all entries. */
function windowOf(
  reader: LogReader,
  { after, last, windowBytes }: WindowRead,
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
