import { multiRegionAlreadyExists } from '../../../output/topology/errors.ts'
import { multiRegionsList } from '../../../output/topology/filters.ts'
import type { MultiRegion } from '../../../output/topology/types.ts'
import type { Collection } from '../../ports/store.ts'
import { storedFields } from './stored-fields.ts'

/** A stored multi-region, without its state, which follows from its regions at each read. */
export type StoredMultiRegion = Omit<MultiRegion, 'state'>

/** The multi-regions of the platform. */
export const multiRegionCollection: Collection<StoredMultiRegion> = {
  name: 'topology_multi_regions',
  id: 'id',
  list: storedFields(multiRegionsList, ['state']),
  uniques: [
    {
      fields: ['name'],
      taken: ({ name }) =>
        multiRegionAlreadyExists(`a multi-region named ${name} exists`, {
          resource: { type: 'topology.multiRegions', name },
        }),
    },
  ],
}
