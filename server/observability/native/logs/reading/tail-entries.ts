import type { TailPage, TailRead } from '../../../../../domain/observability/logs/log-engine.ts'
import { tailEntry } from '../../../../../domain/observability/logs/tail-entry.ts'
import type { EntryFilter } from '../../../../../domain/observability/logql/entry-filter.ts'
import { findEntries, type WantedEntries } from './found-entries.ts'
import type { BlockHead } from './log-day-reader.ts'
import type { LogReader } from './log-reader.ts'

/** The bytes of lines that one read looks at. */
const windowBytes = 16 * 1024 * 1024

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
  const wanted: WantedEntries = {
    selects: stream => filter.selects(stream),
    takes: (stream, entry) => filter.show(stream, entry) !== undefined,
  }
  const { boundary, found, present } = findEntries(reader, { after, last, windowBytes }, wanted, now)
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
