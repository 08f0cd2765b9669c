import { zoneAlreadyExists } from '../../../output/topology/errors.ts'
import { zonesList } from '../../../output/topology/filters.ts'
import type { Zone } from '../../../output/topology/types.ts'
import type { Collection } from '../../ports/store.ts'
import { storedFields } from './stored-fields.ts'

/** A stored zone, without its state. The region of a zone is the region of its location, which never changes. */
export type StoredZone = Omit<Zone, 'state'>

/** The zones of the platform. */
export const zoneCollection: Collection<StoredZone> = {
  name: 'topology_zones',
  id: 'id',
  list: storedFields(zonesList, ['state']),
  // Derived states can follow from STRING and ENUM columns only.
  computed: { schedulable_text: { type: 'STRING', of: ({ schedulable }) => String(schedulable) } },
  uniques: [
    {
      fields: ['name'],
      taken: ({ name }) =>
        zoneAlreadyExists(`a zone named ${name} exists`, { resource: { type: 'topology.zones', name } }),
    },
  ],
  indexes: [['region'], ['location']],
}
