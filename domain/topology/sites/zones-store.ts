import { zoneAlreadyExists } from '../../../output/topology/errors.ts'
import { zonesList } from '../../../output/topology/filters.ts'
import type { Zone } from '../../../output/topology/types.ts'
import type { Collection } from '../../ports/store.ts'
import { storedFields } from './stored-fields.ts'

/** A zone as it is stored; its region is that of its location, which never changes. */
export type StoredZone = Omit<Zone, 'state'>

/** The zones of the platform. */
export const zoneCollection: Collection<StoredZone> = {
  name: 'topology_zones',
  id: 'id',
  list: storedFields(zonesList, ['state']),
  // Derived states follow from columns of texts.
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
