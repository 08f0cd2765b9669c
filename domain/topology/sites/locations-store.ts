import { locationsList } from '../../../output/topology/filters.ts'
import type { Location } from '../../../output/topology/types.ts'
import { Conflict, type Collection, type Transaction } from '../../ports/store.ts'

/** A stored location, without the numbers of its targets and zones, which are counted at each read. */
export type StoredLocation = Omit<Location, 'deployment_target_count' | 'zone_count'>

/** The locations of the platform, which are never deleted. */
export const locationCollection: Collection<StoredLocation> = {
  name: 'topology_locations',
  id: 'id',
  list: locationsList,
  indexes: [['region']],
  // Of two concurrent first registrations, the second is retried and then finds the location.
  uniques: [{ fields: ['name'], taken: ({ name }) => new Conflict(`the location ${name} was created meanwhile`) }],
}

/** Inserts a location unless a location has its name. */
export async function ensureLocation(tx: Transaction, location: StoredLocation): Promise<void> {
  if (await tx.exists(locationCollection, { name: location.name })) return
  await tx.insert(locationCollection, location)
}
