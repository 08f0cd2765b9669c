import type { AreaModule } from '../../../server/area.ts'
import { taxonomyArea } from '../../../server/areas.ts'
import { yardArea } from './yard.ts'

/** The tree, and the area that is walked. */
export const walkedAreas = (): readonly AreaModule[] => [taxonomyArea(), yardArea()]
