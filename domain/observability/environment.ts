import type { ObservabilityArea } from '../../output/observability/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { Resolve } from '../resources/look-up.ts'
import type { IngestionStatuses } from './ingestion-configs/ingestion-status.ts'
import type { OutboundCalls } from './outbound/outbound-calls.ts'
import type { LimitSettings } from './quotas/limits.ts'

/** The parts that the code of the area uses. */
export interface ObservabilityEnvironment extends Parts<ObservabilityArea, never, 'vault'> {
  /** Looks up a resource of any area. */
  readonly resolve: Resolve
  /** The limits of quotas that the operator has set. */
  readonly limits: LimitSettings
  /** Requests to addresses that callers have named. */
  readonly outbound: OutboundCalls
  /** What came in through ingestion configs. */
  readonly statuses: IngestionStatuses
  /** Returns the address of `/ingest` for senders, without a slash at its end. */
  readonly ingestBaseUrl: () => string
}
