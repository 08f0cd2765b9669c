import type { MetricSelection } from '../../../../domain/observability/metrics/metric-engine.ts'
import { parseSelector } from '../../../../domain/observability/promql/language/parse.ts'
import type { Matcher } from '../../../../domain/observability/promql/matcher.ts'
import type { MetricLabel } from '../../../../output/observability/types.ts'
import { requireAwaited } from '../calls/require-awaited.ts'
import { FileSource } from './file-source.ts'
import type { KnownSeries } from './series-catalog.ts'
import { keptSeries, type FirstAndLast } from './series-times.ts'
import type { WorkspaceReader } from './workspace-reader.ts'

/** The largest number of values that an answer lists. */
const mostValues = 10_000

/** The number of series whose samples are in memory at a time. */
const seriesOfRead = 1000

/** Which labels a call asks for. */
export interface LabelsCall {
  readonly selection: MetricSelection
  readonly now: number
}

/**
 * Returns the names of the labels of selected series, in the order of names, with the values of one label; none for a
 * workspace without metrics. Throws the error of the first faulty selector, and ENGINE_UNAVAILABLE for an aborted call.
 */
export function labelsOf(
  reader: WorkspaceReader | undefined,
  { now, selection }: LabelsCall,
  isAborted: () => boolean,
): readonly MetricLabel[] {
  const selectors = selection.match.map(each => parseSelector(each, 'match'))
  if (reader === undefined) return []
  const { label } = selection
  const names = new Map<string, Set<string>>()
  for (const { labels } of selectedSeries(reader, selection, { selectors, now, isAborted })) {
    for (const [name, value] of Object.entries(labels)) {
      const values = names.get(name) ?? new Set<string>()
      if (values.size === 0) names.set(name, values)
      values.add(value)
    }
  }
  return [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, values]) => ({
      name,
      value_count: values.size,
      values: name === label ? [...values].sort().slice(0, mostValues) : [],
      truncated: name === label && values.size > mostValues,
    }))
}

/** What a selection of series needs beside its times. */
interface SelectionParts {
  readonly selectors: readonly (readonly Matcher[])[]
  readonly now: number
  readonly isAborted: () => boolean
}

/** Returns the series that one of the selectors selects and that have a sample between the times. */
function selectedSeries(
  reader: WorkspaceReader,
  { end = Infinity, start = -Infinity }: MetricSelection,
  { isAborted, now, selectors }: SelectionParts,
): readonly Pick<KnownSeries, 'labels'>[] {
  const kept = keptSeries(reader, now)
  const selected =
    selectors.length === 0 ? kept.keys() : new Set(selectors.flatMap(each => reader.catalog.matching(each)))
  const found: Pick<KnownSeries, 'labels'>[] = []
  const unsure: KnownSeries[] = []
  for (const series of selected) {
    const times = kept.get(series)
    const has = times && hasSample(times, start, end)
    if (has === true) found.push(series)
    else if (times !== undefined && has === undefined) unsure.push(series)
  }
  unsure.sort((a, b) => a.id - b.id)
  const source = new FileSource(reader, now)
  for (let i = 0; i < unsure.length; i += seriesOfRead) {
    requireAwaited(isAborted)
    found.push(...source.samplesOf(unsure.slice(i, i + seriesOfRead), start - 1, end, () => {}))
  }
  return found
}

/** Whether a series has a sample between two times, as far as its first and its last time tell. */
function hasSample([first, last]: FirstAndLast, start: number, end: number): boolean | undefined {
  if (last < start || first > end) return false
  if (last <= end || first >= start) return true
  return undefined
}
