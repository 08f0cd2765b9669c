import { SinkFilter } from '../../../../../domain/observability/sinks/sink-filter.ts'
import { LineCollector, type LinesPage, type LinesRead } from '../../../../../domain/observability/sinks/sink-lines.ts'
import type { LogReader } from './log-reader.ts'
import { findEntries } from './found-entries.ts'

/** The bytes of lines that one read looks at: a page of lines with their labels is about as large. */
const windowBytes = 4 * 1024 * 1024

/**
 * Returns the lines of the next entries that a sink chooses, in the order of ingest numbers. Looks at about 4 MiB of lines:
 * the position of the page tells how far. `reader` is undefined for a workspace without logs.
 */
export function sinkLines(reader: LogReader | undefined, read: LinesRead, now: number): LinesPage {
  const lines = new LineCollector(read)
  if (reader === undefined) return lines.page(read.last, read.after)
  const { boundary, found } = findEntries(reader, { ...read, windowBytes }, new SinkFilter(read.rules), now)
  for (const { block, index, stream } of found) if (!lines.add(stream.labels, block.entry(index))) break
  return lines.page(boundary, read.after)
}
