import { exportOutcomes, type SinkCounts } from '../../domain/observability/sink-work/sink-counts.ts'
import type { Metric } from '../health/metrics.ts'

/** Returns the metrics of log sinks. */
export const sinkMetrics = (counts: Pick<SinkCounts, 'batches' | 'entries'>): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_observability_sink_batches_total',
    help: 'Attempts of this server to export a batch of a log sink, by outcome.',
    labels: ['outcome'],
    read: () => exportOutcomes.map(outcome => ({ labels: { outcome }, value: counts.batches(outcome) })),
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_sink_entries_total',
    help: 'Entries that this server has exported for log sinks.',
    read: () => [{ labels: {}, value: counts.entries }],
  },
]
