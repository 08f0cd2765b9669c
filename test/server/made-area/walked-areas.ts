import type { AreaModule } from '../../../server/area.ts'
import { taxonomyArea } from '../../../server/areas.ts'
import { yardArea } from './yard.ts'

/** Returns the taxonomy, and the yard, at whose transactions the kill walk stops. */
export const walkedAreas = (): readonly AreaModule[] => [taxonomyArea(), yardArea()]
