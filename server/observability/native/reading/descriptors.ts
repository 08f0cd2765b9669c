import type { MetricDescriptor } from '../../../../output/observability/types.ts'
import { keptSeries } from './series-times.ts'
import type { WorkspaceReader } from './workspace-reader.ts'

/** The facts that the series of a metric give together. */
interface Gathered {
  readonly labels: Set<string>
  series: number
  last: number
}

/** Returns all metrics with samples that the retention has not ended, in the order of their names. */
export function descriptorsOf(reader: WorkspaceReader, now: number): readonly MetricDescriptor[] {
  const metrics = new Map<string, Gathered>()
  for (const [{ labels }, [, last]] of keptSeries(reader, now)) {
    const { __name__: name = '' } = labels
    const metric = metrics.get(name) ?? { labels: new Set<string>(), series: 0, last: -Infinity }
    metrics.set(name, metric)
    for (const label of Object.keys(labels)) if (label !== '__name__') metric.labels.add(label)
    metric.series += 1
    metric.last = Math.max(metric.last, last)
  }
  const metadata = reader.metadata()
  return [...metrics]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { labels, last, series }]) => {
      const { description = '', type = 'UNKNOWN', unit = '' } = metadata.get(name) ?? {}
      return {
        name,
        type: `OBSERVABILITY_METRIC_TYPE_${type}` as const,
        unit,
        description,
        label_names: [...labels].sort(),
        series_count: series,
        last_sample_time: new Date(last).toISOString(),
      }
    })
}
