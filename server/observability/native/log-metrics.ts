import type { WaitingTails } from '../../../domain/observability/log-calls/waiting-tails.ts'
import type { Metric } from '../../health/metrics.ts'
import type { NativeLogEngine } from './native-log-engine.ts'

/** Returns the metrics of the logs in files of this host. */
export const logMetrics = (
  engine: Pick<NativeLogEngine, 'counts' | 'load'>,
  tails: Pick<WaitingTails, 'count'>,
): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_observability_log_entries_accepted_total',
    help: 'Log entries that were written on this server.',
    labels: [],
    read: () => [{ labels: {}, value: engine.counts.accepted }],
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_log_entries_rejected_total',
    help: 'Log entries that were refused on this server, by reason.',
    labels: ['reason'],
    read: () => [...engine.counts.rejected].map(([reason, value]) => ({ labels: { reason }, value })),
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_log_reads_total',
    help: 'Queries, tails and lists of logs on this server, by outcome.',
    labels: ['outcome'],
    read: () => [...engine.counts.queries].map(([outcome, value]) => ({ labels: { outcome }, value })),
  },
  {
    kind: 'gauge',
    name: 'ninefold_observability_log_writes_waiting',
    help: 'Writes of logs that wait for the disk.',
    read: () => engine.load.writer.calls,
  },
  {
    kind: 'gauge',
    name: 'ninefold_observability_log_tails',
    help: 'Callers that follow logs on this server.',
    read: () => tails.count,
  },
]
