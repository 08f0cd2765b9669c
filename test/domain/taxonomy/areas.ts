import type { FollowTimes } from '../../../domain/taxonomy/cascade/reconcile.ts'
import type { AreaModule } from '../../../server/area.ts'
import { taxonomyArea } from '../../../server/areas.ts'
import { depotArea, type DepotControl } from './depot.ts'

/** Short times: the platform calls hooks again after a few milliseconds, and retries failures quickly. */
export const quickTimes: FollowTimes = { askMs: 5, retryMs: [2, 4], restMs: 200 }

/** Returns the taxonomy and the depot, an area with resources in workspaces. */
export const testAreas = (control: DepotControl = {}, times = quickTimes): readonly AreaModule[] => [
  taxonomyArea(times),
  depotArea(control),
]
