import type { ObservabilityArea } from '../../output/observability/area.ts'
import type { Parts } from '../ports/area-parts.ts'

/** The parts that the code of the area uses. */
export type ObservabilityEnvironment = Parts<ObservabilityArea>
