import { Conflict, type Stored, type Transaction } from '../../ports/store.ts'
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

/** Locks all repositories of a workspace in the order of their ids. */
export async function lockRepositories(tx: Transaction, workspace_id: string): Promise<void> {
  const ids: string[] = []
  for await (const { id } of tx.each(repositoryCollection, { workspace_id })) ids.push(id)
  for (const id of ids) await tx.lock(repositoryCollection, id)
}

/**
 * Locks a repository, like `tx.lock`, for a change that may decrease its size or delete it. While repositories of its
 * workspace are READ_ONLY, the change may end that for all of them, so all are locked in the order of their ids; otherwise
 * two such changes would wait for each other. Throws `Conflict` if they became READ_ONLY before the lock: later they cannot,
 * because a limit is changed under the locks of all repositories.
 */
export async function lockShrinking(tx: Transaction, id: string): Promise<Stored<StoredRepository> | undefined> {
  const seen = (await tx.get(repositoryCollection, id))?.value
  if (!seen) return undefined
  const readOnly = { workspace_id: seen.workspace_id, state: 'REGISTRY_REPOSITORY_STATE_READ_ONLY' } as const
  const isReadOnly = await tx.exists(repositoryCollection, readOnly)
  if (isReadOnly) await lockRepositories(tx, seen.workspace_id)
  const stored = await tx.lock(repositoryCollection, id)
  if (stored && !isReadOnly && (await tx.exists(repositoryCollection, readOnly)))
    throw new Conflict(`workspace ${seen.workspace_id} has become READ_ONLY since its repositories were read`)
  return stored
}

/** Locks a repository as `lockRepository` does, for a change that may decrease its size. */
export async function lockShrinkingRepository(
  tx: Transaction,
  taxonomy: Pick<Taxonomy, 'requireActive'>,
  { id, workspace_id }: Pick<StoredRepository, 'id' | 'workspace_id'>,
): Promise<Stored<StoredRepository> | undefined> {
  await taxonomy.requireActive(tx, workspace_id)
  return unlessDeleting(await lockShrinking(tx, id))
}
