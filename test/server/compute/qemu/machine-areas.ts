import type { AreaModule } from '../../../../server/area.ts'
import { areas } from '../../../../server/areas.ts'

/** The areas that virtual machines need. */
export const machineAreas: readonly AreaModule[] = areas.filter(({ domain }) =>
  ['taxonomy', 'topology', 'compute', 'network'].includes(domain.name),
)
