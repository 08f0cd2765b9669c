import type { ObservabilityArea } from '../../output/observability/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { Resolve } from '../resources/look-up.ts'
import type { LimitSettings } from './quotas/limits.ts'

/** The parts that the code of the area uses. */
export interface ObservabilityEnvironment extends Parts<ObservabilityArea> {
  /** Looks up a resource of any area. */
  readonly resolve: Resolve
  /** The limits of quotas that the operator has set. */
  readonly limits: LimitSettings
}
