import { spanOutcomes, type RequestSpans } from '../../domain/observability/ingest/request-spans.ts'
import type { Metric } from '../health/metrics.ts'

/** Returns the metrics of the spans of calls. */
export const spanMetrics = (spans: Pick<RequestSpans, 'count'>): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_observability_request_spans_total',
    help: 'Spans of calls that this server answered, by outcome.',
    labels: ['outcome'],
    read: () => spanOutcomes.map(outcome => ({ labels: { outcome }, value: spans.count(outcome) })),
  },
]
