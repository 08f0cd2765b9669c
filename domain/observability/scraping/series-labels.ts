import { sortedLabels } from '../ingest/label-rules.ts'
import type { SortedLabels } from '../ingest/sample-batch.ts'
import type { Labels } from '../metrics/samples.ts'
import type { PageSample } from './pages/page-entries.ts'

/** The prefix of a label of a page whose name the target has too. */
const exported = 'exported_'

/**
 * Returns the labels of the series of a sample, in the order of their names. A label that the target has too is renamed
 * with the prefix `exported_`, as often as the name is taken; with `honorLabels`, the label of the page stays instead.
 * A label that the page gives without a value counts as given, as in Prometheus.
 */
export function seriesLabels(
  { labels, name }: Pick<PageSample, 'labels' | 'name'>,
  target: Labels,
  honorLabels: boolean,
): SortedLabels {
  const all = new Map<string, string>([['__name__', name], ...labels])
  const conflicts: [string, string][] = []
  for (const [label, value] of Object.entries(target)) {
    const given = all.get(label)
    if (honorLabels && given !== undefined) continue
    if (given !== undefined && given !== '') conflicts.push([label, given])
    all.set(label, value)
  }
  // Short names come first, so that the result does not depend on the order of the labels.
  for (const [label, value] of conflicts.toSorted(([one], [other]) => one.length - other.length)) {
    let free = `${exported}${label}`
    while ((all.get(free) ?? '') !== '') free = `${exported}${free}`
    all.set(free, value)
  }
  return sortedLabels(all)
}
