import type { LabelSet, MetricDescriptor, MetricLabel } from '../../../../output/observability/types.ts'
import type { MetricMetadata } from '../../../../domain/observability/metrics/samples.ts'
import { recordOf } from './result-values.ts'

/** The largest number of values of a label in an answer. */
const maxValues = 10_000

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Returns the metrics of some series in the order of their names; `metadata` has what senders say of metrics, by name. */
export function descriptorsOf(
  series: readonly LabelSet[],
  metadata: ReadonlyMap<string, MetricMetadata>,
): readonly MetricDescriptor[] {
  const found = new Map<string, { readonly labels: Set<string>; count: number }>()
  for (const { __name__: name = '', ...labels } of series) {
    const metric = found.get(name) ?? { labels: new Set(), count: 0 }
    found.set(name, metric)
    metric.count += 1
    for (const label of Object.keys(labels)) metric.labels.add(label)
  }
  return [...found]
    .toSorted(([one], [other]) => byText(one, other))
    .map(([name, { count, labels }]) => {
      const { description = '', type = 'UNKNOWN', unit = '' } = metadata.get(name) ?? {}
      return {
        name,
        type: `OBSERVABILITY_METRIC_TYPE_${type}`,
        unit,
        description,
        label_names: [...labels].toSorted(byText),
        series_count: count,
      }
    })
}

/** Returns the labels of some series in the order of their names, with the values of `label` alone. */
export function labelsIn(series: readonly LabelSet[], label: string | undefined): readonly MetricLabel[] {
  const found = new Map<string, Set<string>>()
  for (const labels of series) {
    for (const [name, value] of Object.entries(labels)) {
      const values = found.get(name) ?? new Set()
      found.set(name, values.add(value))
    }
  }
  return [...found]
    .toSorted(([one], [other]) => byText(one, other))
    .map(([name, values]) => ({
      name,
      value_count: values.size,
      values: name === label ? [...values].toSorted(byText).slice(0, maxValues) : [],
      truncated: name === label && values.size > maxValues,
    }))
}

const types: Readonly<Record<string, MetricMetadata['type']>> = {
  counter: 'COUNTER',
  gauge: 'GAUGE',
  histogram: 'HISTOGRAM',
  summary: 'SUMMARY',
}

/** Returns the metadata in `data` of Prometheus, by the names of metrics. Throws MalformedResult for another value. */
export function metadataOf(data: unknown): ReadonlyMap<string, MetricMetadata> {
  const found = new Map<string, MetricMetadata>()
  for (const [name, said] of Object.entries(recordOf(data))) {
    const [first] = Array.isArray(said) ? said : []
    const { help = '', type = '', unit = '' } = recordOf(first ?? {})
    found.set(name, { name, type: types[String(type)] ?? 'UNKNOWN', unit: String(unit), description: String(help) })
  }
  return found
}
