import type { ObservabilityEnvironment } from '../environment.ts'
import type { IngestionStatuses } from '../ingestion-configs/ingestion-status.ts'
import type { LogEngine } from '../logs/log-engine.ts'
import type { MetricEngine } from '../metrics/metric-engine.ts'
import type { TraceEngine } from '../traces/trace-engine.ts'
import type { BodyMemory } from './read-body.ts'
import type { SenderRates } from './sender-rates.ts'

/** The parts of the plane at which senders push. */
export interface PlaneParts extends Pick<
  ObservabilityEnvironment,
  'access' | 'clock' | 'functions' | 'limits' | 'retentions' | 'stacks' | 'store' | 'taxonomy'
> {
  readonly logs: Pick<LogEngine, 'push'>
  readonly metrics: Pick<MetricEngine, 'push'>
  readonly traces: Pick<TraceEngine, 'push'>
  readonly statuses: Pick<IngestionStatuses, 'received'>
  readonly rates: SenderRates
  readonly memory: BodyMemory
}
