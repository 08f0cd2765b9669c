import type { Stored, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { repositoryCollection, type StoredRepository } from './repositories-store.ts'

/**
 * Locks the row of a repository, under which tag moves, deletions, deployment locks and immutability are decided
 * (registry.md 4.5). Shares the organisation first, and throws WORKSPACE_NOT_ACTIVE for a workspace that is not ACTIVE;
 * so the call precedes all other locks of the transaction. Returns undefined if the repository was deleted or is being
 * deleted.
 */
export async function lockRepository(
  tx: Transaction,
  taxonomy: Pick<Taxonomy, 'requireActive'>,
  { id, workspace_id }: Pick<StoredRepository, 'id' | 'workspace_id'>,
): Promise<Stored<StoredRepository> | undefined> {
  await taxonomy.requireActive(tx, workspace_id)
  return unlessDeleting(await tx.lock(repositoryCollection, id))
}

/** Returns the row of a repository unless the repository is being deleted. */
export const unlessDeleting = (stored: Stored<StoredRepository> | undefined): Stored<StoredRepository> | undefined =>
  stored?.value.state === 'REGISTRY_REPOSITORY_STATE_DELETING' ? undefined : stored
