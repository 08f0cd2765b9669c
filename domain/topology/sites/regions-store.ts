import { regionsList } from '../../../output/topology/filters.ts'
import type { Region } from '../../../output/topology/types.ts'
import { Conflict, type Collection, type Transaction } from '../../ports/store.ts'
import { storedFields } from './stored-fields.ts'

/** The stored members of a region. All other members follow from locations, zones and multi-regions at each read. */
export type StoredRegion = Pick<Region, 'id' | 'name' | 'country_code' | 'create_time'>

/** The regions of the platform. A row is never changed and never deleted. */
export const regionCollection: Collection<StoredRegion> = {
  name: 'topology_regions',
  id: 'id',
  list: storedFields(regionsList, ['state']),
  // Of two concurrent first approvals into a region, the second is retried and then finds the region.
  uniques: [{ fields: ['name'], taken: ({ name }) => new Conflict(`the region ${name} was created meanwhile`) }],
}

/** Inserts a region unless a region has its name. */
export async function ensureRegion(tx: Transaction, region: StoredRegion): Promise<void> {
  if (await tx.exists(regionCollection, { name: region.name })) return
  await tx.insert(regionCollection, region)
}
