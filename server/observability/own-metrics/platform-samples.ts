import type { MetricSample } from '../../../domain/ports/observability.ts'
import type { Metric } from '../../health/metrics.ts'
import type { Buckets } from '../../meters/buckets.ts'
import type { Labels } from '../../meters/samples.ts'

/** The prefix of the server's own metrics, in whose place their samples have the prefix `platform_`. */
const ownPrefix = 'ninefold_'

/** The label that is summed away: with it, a workspace would have a histogram for each of some hundred operations. */
const summedLabel = 'operation'

/**
 * Returns samples of the metrics of this server, as they are written to the workspace of the platform. A histogram
 * becomes the counters `_bucket`, `_sum` and `_count` of Prometheus. Values that are no finite numbers are left out.
 */
export function platformSamples(metrics: readonly Metric[], shared: Labels, time: number): readonly MetricSample[] {
  const sums = new Map<string, MetricSample>()
  const add = (name: string, type: MetricSample['type'], labels: Labels, value: number): void => {
    if (!Number.isFinite(value)) return
    const { [summedLabel]: _, ...kept } = labels
    const key = JSON.stringify([name, kept])
    const before = sums.get(key)?.value ?? 0
    sums.set(key, { name: nameOf(name), type, labels: { ...shared, ...kept }, time, value: before + value })
  }
  for (const metric of metrics) {
    const { name } = metric
    if (metric.kind === 'gauge') add(name, 'GAUGE', {}, metric.read())
    else if (metric.kind === 'counter')
      for (const { labels, value } of metric.read()) add(name, 'COUNTER', labels, value)
    else for (const { buckets, labels } of metric.read()) addBuckets(name, labels, buckets, add)
  }
  return [...sums.values()]
}

type Add = (name: string, type: MetricSample['type'], labels: Labels, value: number) => void

function addBuckets(name: string, labels: Labels, { bounds, counts, sum }: Buckets, add: Add): void {
  let count = 0
  for (const [index, own] of counts.entries()) {
    count += own
    add(`${name}_bucket`, 'COUNTER', { ...labels, le: boundText(bounds[index]) }, count)
  }
  add(`${name}_sum`, 'COUNTER', labels, sum)
  add(`${name}_count`, 'COUNTER', labels, count)
}

const boundText = (bound: number | undefined): string => (bound === undefined ? '+Inf' : String(bound))

const nameOf = (name: string): MetricSample['name'] =>
  `platform_${name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : name}`
