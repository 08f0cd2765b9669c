import type { ObservabilityArea } from '../../output/observability/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { Resolve } from '../resources/look-up.ts'

/** The parts that the code of the area uses. */
export interface ObservabilityEnvironment extends Parts<ObservabilityArea> {
  /** Looks up a resource of any area. */
  readonly resolve: Resolve
}
