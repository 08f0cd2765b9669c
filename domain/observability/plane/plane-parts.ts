import type { ObservabilityEnvironment } from '../environment.ts'
import type { IngestionStatuses } from '../ingestion-configs/ingestion-status.ts'
import type { MetricEngine } from '../metrics/metric-engine.ts'
import type { BodyMemory } from './read-body.ts'
import type { SenderRates } from './sender-rates.ts'

/** The parts of the plane at which senders push. */
export interface PlaneParts extends Pick<
  ObservabilityEnvironment,
  'access' | 'clock' | 'functions' | 'limits' | 'retentions' | 'store' | 'taxonomy'
> {
  readonly metrics: Pick<MetricEngine, 'push'>
  readonly statuses: Pick<IngestionStatuses, 'received'>
  readonly rates: SenderRates
  readonly memory: BodyMemory
}
