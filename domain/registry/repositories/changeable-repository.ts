import type { Transaction } from '../../ports/store.ts'
import { requireChangeable } from './repository-kind.ts'
import { repositoryCollection, type StoredRepository } from './repositories-store.ts'

/**
 * Returns a repository whose row the transaction has locked or shared; undefined for an absent one. Throws
 * REPOSITORY_DELETING.
 */
export async function changeableRepository(tx: Transaction, id: string): Promise<StoredRepository | undefined> {
  const repository = (await tx.get(repositoryCollection, id))?.value
  if (repository) requireChangeable(repository)
  return repository
}
