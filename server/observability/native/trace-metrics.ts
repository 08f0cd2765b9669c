import type { Metric } from '../../health/metrics.ts'
import type { NativeTraceEngine } from './native-trace-engine.ts'

/** Returns the metrics of the engine of traces. */
export const traceMetrics = (engine: Pick<NativeTraceEngine, 'counts' | 'load'>): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_observability_spans_accepted_total',
    help: 'Spans of traces that were written on this server.',
    labels: [],
    read: () => [{ labels: {}, value: engine.counts.accepted }],
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_spans_rejected_total',
    help: 'Spans of traces that were refused on this server, by reason.',
    labels: ['reason'],
    read: () => [...engine.counts.rejected].map(([reason, value]) => ({ labels: { reason }, value })),
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_trace_reads_total',
    help: 'Reads of traces and queries over them on this server, by outcome.',
    labels: ['outcome'],
    read: () => [...engine.counts.queries].map(([outcome, value]) => ({ labels: { outcome }, value })),
  },
  {
    kind: 'gauge',
    name: 'ninefold_observability_span_writes_waiting',
    help: 'Writes of spans that wait for the disk.',
    read: () => engine.load.writer.calls,
  },
  {
    kind: 'gauge',
    name: 'ninefold_observability_trace_reads_waiting',
    help: 'Reads of traces that wait for a thread.',
    read: () => engine.load.readers.waiting,
  },
]
