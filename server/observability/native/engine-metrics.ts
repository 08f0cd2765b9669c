import type { Metric } from '../../health/metrics.ts'
import type { NativeMetricEngine } from './native-metric-engine.ts'

/** Returns the metrics of the engine. */
export const engineMetrics = (engine: Pick<NativeMetricEngine, 'counts' | 'load'>): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_observability_samples_accepted_total',
    help: 'Samples of metrics that were written on this server.',
    labels: [],
    read: () => [{ labels: {}, value: engine.counts.accepted }],
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_samples_rejected_total',
    help: 'Samples of metrics that were refused on this server, by reason.',
    labels: ['reason'],
    read: () => [...engine.counts.rejected].map(([reason, value]) => ({ labels: { reason }, value })),
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_reads_total',
    help: 'Queries and lists of metrics on this server, by outcome.',
    labels: ['outcome'],
    read: () => [...engine.counts.queries].map(([outcome, value]) => ({ labels: { outcome }, value })),
  },
  {
    kind: 'gauge',
    name: 'ninefold_observability_writes_waiting',
    help: 'Writes of metrics that wait for the disk.',
    read: () => engine.load.writer.calls,
  },
  {
    kind: 'gauge',
    name: 'ninefold_observability_reads_waiting',
    help: 'Queries and lists of metrics that wait for a thread.',
    read: () => engine.load.readers.waiting,
  },
]
