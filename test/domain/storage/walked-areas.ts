import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'

/** The areas that buckets need. */
export const walkedAreas: readonly AreaModule[] = areas.filter(({ domain }) =>
  ['taxonomy', 'topology', 'storage'].includes(domain.name),
)
