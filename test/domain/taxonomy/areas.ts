import type { FollowTimes } from '../../../domain/taxonomy/cascade/reconcile.ts'
import type { AreaModule } from '../../../server/area.ts'
import { taxonomyArea } from '../../../server/areas.ts'
import { depotArea, type DepotControl } from './depot.ts'

/** Areas are asked again at once, and failures follow each other. */
export const quickTimes: FollowTimes = { askMs: 5, retryMs: [2, 4], restMs: 200 }

/** The taxonomy with an area that holds things in its workspaces. */
export const testAreas = (control: DepotControl = {}, times = quickTimes): readonly AreaModule[] => [
  taxonomyArea(times),
  depotArea(control),
]
