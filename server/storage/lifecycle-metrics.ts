import { removedKinds } from '../../domain/storage/rules/runs-store.ts'
import type { RemovedCounts } from '../../domain/storage/lifecycle/removed-counts.ts'
import type { Metric } from '../health/metrics.ts'

/** Returns the metrics of the lifecycle rules of buckets. */
export const lifecycleMetrics = (removed: Pick<RemovedCounts, 'counts'>): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_storage_lifecycle_removed_total',
    help: 'What the lifecycle rules of buckets have removed on this server, by kind.',
    labels: ['kind'],
    read: () => removedKinds.map(kind => ({ labels: { kind }, value: removed.counts[kind] })),
  },
]
