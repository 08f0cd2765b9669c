import type { Collection, Transaction, Where } from '../../ports/store.ts'
import { grantCollection } from '../grants/grants-store.ts'
import { lockCollection, protectedCollection } from '../locks/locks-store.ts'
import { openingCollection } from '../openings/openings-store.ts'
import { policyCollection } from '../policies/policies-store.ts'

/** Deletes the access policies, pull grants and deployment locks of a repository. */
export async function dropRules(tx: Transaction, repository: string): Promise<void> {
  await deleteAll(tx, openingCollection, { repository_id: repository })
  await deleteAll(tx, policyCollection, { repository_id: repository })
  await deleteAll(tx, grantCollection, { repository_id: repository })
  await deleteAll(tx, protectedCollection, { repository_id: repository })
  await deleteAll(tx, lockCollection, { repository_id: repository })
}

async function deleteAll<T>(tx: Transaction, collection: Collection<T>, where: Where<T>): Promise<void> {
  for await (const { id, version } of tx.each(collection, where)) await tx.delete(collection, id, version)
}
