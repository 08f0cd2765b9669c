import type { AreaModule } from '../../../server/area.ts'
import { taxonomyArea } from '../../../server/areas.ts'
import { yardArea } from './yard.ts'

/** Returns the taxonomy, and the yard, whose procedures the kill walk covers. */
export const walkedAreas = (): readonly AreaModule[] => [taxonomyArea(), yardArea()]
