import type {
  EntryPart,
  EntryRun,
  EntrySelection,
  EntrySource,
} from '../../../../../domain/observability/logql/entry-source.ts'
import { dayOf } from '../../files/places.ts'
import type { KnownSeries } from '../../reading/series-catalog.ts'
import type { EntryBlock } from '../format/entry-block.ts'
import { BlockCache } from './block-cache.ts'
import { BlockRun } from './block-run.ts'
import { linesWith } from './line-search.ts'
import type { BlockHead } from './log-day-reader.ts'
import { nanos, type LogReader } from './log-reader.ts'

/** The run without entries. */
const noRun: EntryRun = {
  length: 0,
  time: () => 0n,
  number: () => 0,
  line: () => '',
  metadata: () => ({}),
  entry: () => {
    throw new RangeError('the run has no entries')
  },
}

/** A selection with its texts as bytes. */
interface ByteSelection extends EntrySelection {
  readonly texts: readonly (readonly Uint8Array[])[]
}

/** The entries of a workspace in its files. Entries that are older than the retention of their stream are left out. */
export class BlockSource implements EntrySource {
  readonly #reader: LogReader
  readonly #now: number
  readonly #blocks = new BlockCache()

  constructor(reader: LogReader, now: number) {
    this.#reader = reader
    this.#now = now
  }

  select(given: EntrySelection): readonly EntryPart[] {
    const selection = { ...given, texts: given.required.map(list => list.map(text => Buffer.from(text, 'utf8'))) }
    const { before, from, matchers } = selection
    const streams = new Map(
      this.#reader.catalog.matching(matchers).map(stream => {
        const kept = this.#reader.keptFrom(stream, this.#now)
        return [stream.id, { ...stream, from: kept > from ? kept : from }] as const
      }),
    )
    if (streams.size === 0 || from >= before) return []
    const parts: EntryPart[] = []
    for (const day of this.#reader.days(dayOf(Number(from / nanos)), dayOf(Number(before / nanos))))
      for (const head of day.between(from, before)) this.#addParts(parts, head, streams, selection)
    return parts
  }

  #addParts(
    parts: EntryPart[],
    head: BlockHead,
    streams: ReadonlyMap<number, SelectedStream>,
    selection: ByteSelection,
  ): void {
    // The filter is looked at once, when the first stream of the block is read.
    let isPossible: boolean | undefined
    let start = 0
    for (const [run, end] of head.runs.ends.entries()) {
      const range = [start, end] as const
      const stream = streams.get(head.runs.streams[run] ?? 0)
      start = end
      if (stream === undefined || stream.from > head.last) continue
      const { first, last } = head
      const read = (): EntryRun => {
        isPossible ??= head.file.mayContain(head.id, selection.texts)
        return isPossible ? this.#read(head, stream, range, selection) : noRun
      }
      parts.push({ labels: stream.labels, first, last, read })
    }
  }

  #read(
    head: BlockHead,
    { from }: SelectedStream,
    [start, end]: readonly [number, number],
    { before, charge, texts }: ByteSelection,
  ): EntryRun {
    const block = this.#blocks.read(head)
    charge(end - start, (block.lineEnds[end - 1] ?? 0) - block.lineStart(start))
    const first = firstAt(block, from, start, end)
    const last = firstAt(block, before, first, end)
    return new BlockRun(block, texts.length === 0 ? { first, last } : linesWith(block, first, last, texts))
  }
}

/** A stream, and the time from which its entries are selected. */
interface SelectedStream extends KnownSeries {
  readonly from: bigint
}

/** Returns the index of the first entry of a stream, between two indices of a block, that is not before a time. */
export function firstAt(block: EntryBlock, time: bigint, start: number, end: number): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (block.time(middle) < time) low = middle + 1
    else high = middle
  }
  return low
}
