import { regionsList } from '../../../output/topology/filters.ts'
import type { Region } from '../../../output/topology/types.ts'
import { Conflict, type Collection, type Transaction } from '../../ports/store.ts'
import { storedFields } from './stored-fields.ts'

/** A region as it is stored: everything else follows from locations, zones and multi-regions. */
export type StoredRegion = Pick<Region, 'id' | 'name' | 'country_code' | 'create_time'>

/** The regions of the platform. A row is never changed and never deleted. */
export const regionCollection: Collection<StoredRegion> = {
  name: 'topology_regions',
  id: 'id',
  list: storedFields(regionsList, ['state']),
  // Of two first approvals into a region, the second runs again and finds the region.
  uniques: [{ fields: ['name'], taken: ({ name }) => new Conflict(`the region ${name} was created meanwhile`) }],
}

/** Inserts a region unless there is one of its name. */
export async function ensureRegion(tx: Transaction, region: StoredRegion): Promise<void> {
  if (await tx.exists(regionCollection, { name: region.name })) return
  await tx.insert(regionCollection, region)
}
