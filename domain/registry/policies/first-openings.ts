import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Collection, Transaction } from '../../ports/store.ts'
import { pullersOf, settleOpenings } from '../openings/settle-openings.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { policyCollection } from './policies-store.ts'

/**
 * The collection with the single row that records that all policies have openings, so that only one start looks at all
 * policies.
 */
export const openingStarts: Collection<{ readonly id: 'openings'; readonly create_time: string }> = {
  name: 'registry_opening_starts',
  id: 'id',
}

/** Makes the openings of the access policies that are older than the openings, at most once in the life of a store. */
export async function makeFirstOpenings(tx: Transaction, now: number): Promise<void> {
  if (await tx.get(openingStarts, 'openings')) return
  await tx.insert(openingStarts, { id: 'openings', create_time: formatMillis(now) })
  for await (const { value } of tx.each(policyCollection)) {
    const path = (await tx.get(repositoryCollection, value.repository_id))?.value.path ?? ''
    await settleOpenings(tx, value, path, pullersOf(value))
  }
}
