import { locationsList } from '../../../output/topology/filters.ts'
import type { Location } from '../../../output/topology/types.ts'
import { Conflict, type Collection, type Transaction } from '../../ports/store.ts'

/** A location as it is stored: what stands in it is counted on reading. */
export type StoredLocation = Omit<Location, 'deployment_target_count' | 'zone_count'>

/** The locations of the platform. They are never deleted. */
export const locationCollection: Collection<StoredLocation> = {
  name: 'topology_locations',
  id: 'id',
  list: locationsList,
  indexes: [['region']],
  // Of two first registrations, the second runs again and finds the location.
  uniques: [{ fields: ['name'], taken: ({ name }) => new Conflict(`the location ${name} was created meanwhile`) }],
}

/** Inserts a location unless there is one of its name. */
export async function ensureLocation(tx: Transaction, location: StoredLocation): Promise<void> {
  if (await tx.exists(locationCollection, { name: location.name })) return
  await tx.insert(locationCollection, location)
}
