import type { RetentionCounts } from '../../domain/registry/retention/retention-counts.ts'
import type { Metric } from '../health/metrics.ts'

/** Returns the metrics of the retention policies of registries. */
export const retentionMetrics = (removed: Pick<RetentionCounts, 'counts'>): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_registry_retention_removed_total',
    help: 'What retention policies have removed from repositories on this server, by kind.',
    labels: ['kind'],
    read: () => (['artifacts', 'tags'] as const).map(kind => ({ labels: { kind }, value: removed.counts[kind] })),
  },
]
