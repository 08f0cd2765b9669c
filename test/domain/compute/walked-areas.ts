import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { computeSettings } from '../../../server/compute/settings.ts'
import { GivenSettings } from '../../../server/settings/values.ts'

/** The areas that virtual machines need. */
export const walkedAreas: readonly AreaModule[] = areas.filter(({ domain }) =>
  ['taxonomy', 'topology', 'compute', 'network'].includes(domain.name),
)

/** The settings by which changes take some milliseconds, so that steps are repeated. */
export const walkedSettings = { given: new GivenSettings().with(computeSettings['compute.sim_time_scale'], 0.01) }
