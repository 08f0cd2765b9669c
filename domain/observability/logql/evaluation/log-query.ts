import type { QueryBudget } from '../../promql/evaluation/query-budget.ts'
import type { EntrySource, StoredEntry } from '../entry-source.ts'
import type { LogExpression } from '../language/log-expression.ts'
import { EntryLabels } from '../pipeline/entry-labels.ts'
import { requiredTexts } from '../pipeline/line-filter.ts'
import { Pipeline } from '../pipeline/pipeline.ts'
import { orderedEntries, type Direction } from './ordered-entries.ts'
import { RunFacts } from './run-facts.ts'
import type { Scan } from './scan.ts'

/** The place of an entry in the order of all entries of a workspace. */
export interface EntryPosition {
  /** The time of the entry in nanoseconds since 1970. */
  readonly time: bigint
  /** The ingest number of the entry. */
  readonly number: number
}

/** The entries that a log query asks for. */
export interface EntryRange {
  /** Entries are at this time or after it, in nanoseconds since 1970. */
  readonly start: bigint
  /** Entries are before this time, in nanoseconds since 1970. */
  readonly end: bigint
  readonly direction: Direction
  /** The largest number of entries. */
  readonly limit: number
  /** The last entry of the page before; entries follow it in the direction. */
  readonly after?: EntryPosition
}

/** An entry as a pipeline has made it. */
export interface ShownEntry {
  readonly entry: StoredEntry
  /** The line after the pipeline. */
  readonly line: string
  /** The labels of the stream and those that stages made. */
  readonly labels: Readonly<Record<string, string>>
  /** The structured metadata that stages have left. */
  readonly metadata: Readonly<Record<string, string>>
}

/** The size at which a page ends before its limit, in UTF-16 code units of lines: 16 Mi. */
const maxPageSize = 2 ** 24

/** A page of a log query. */
export interface EntryPage {
  /** The entries in the order of the direction. */
  readonly entries: readonly ShownEntry[]
  /** Whether the page ended at its limit or its size, so that more entries may follow. */
  readonly isFull: boolean
}

/** Returns a page of the entries of a log query. */
export function shownEntries(
  source: EntrySource,
  { matchers, stages }: LogExpression,
  range: EntryRange,
  scan: Scan,
  budget: QueryBudget,
): EntryPage {
  const { after, direction, limit } = range
  const selection = { matchers, ...boundsOf(range), required: requiredTexts(stages) }
  const parts = source.select({ ...selection, charge: (entries, bytes) => scan.charge(entries, bytes) })
  const pipeline = new Pipeline(stages)
  const [labels, facts] = [new EntryLabels(), new RunFacts()]
  const entries: ShownEntry[] = []
  let size = 0
  for (const { labels: stream, run, index } of orderedEntries(parts, direction, line => pipeline.admits(line))) {
    budget.spend(1)
    if (after !== undefined && !follows(run.time(index), run.number(index), after, direction)) continue
    labels.reset(stream, facts.at(run, index))
    const line = pipeline.run(run.line(index), labels)
    if (line === undefined) continue
    entries.push({ entry: run.entry(index), line, labels: labels.labels(), metadata: labels.metadata() })
    size += line.length
    if (entries.length === limit || size >= maxPageSize) return { entries, isFull: true }
  }
  return { entries, isFull: false }
}

/** Returns the bounds of the times of a page: entries before the last page are not read again. */
function boundsOf({ start, end, direction, after }: EntryRange): { readonly from: bigint; readonly before: bigint } {
  if (after === undefined) return { from: start, before: end }
  if (direction === 'FORWARD') return { from: after.time > start ? after.time : start, before: end }
  return { from: start, before: after.time < end ? after.time + 1n : end }
}

function follows(time: bigint, number: number, after: EntryPosition, direction: Direction): boolean {
  const [sooner, later] = direction === 'FORWARD' ? [after.number, number] : [number, after.number]
  if (time === after.time) return later > sooner
  return direction === 'FORWARD' ? time > after.time : time < after.time
}
