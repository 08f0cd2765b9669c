import type { Stored, Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { lockShrinking } from '../repositories/lock-repository.ts'
import { findRepository, type RepositoryPath } from '../repositories/find-repository.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'

/** Locks the row of the repository of a path, after the organisation is shared. Throws REPOSITORY_NOT_FOUND. */
export async function lockCalled(
  { taxonomy }: RegistryEnvironment,
  tx: Transaction,
  request: Pick<RepositoryPath, 'repository' | 'workspace'>,
): Promise<Stored<StoredRepository>> {
  await taxonomy.share(tx, workspaceScope(request.workspace))
  await lockShrinking(tx, request.repository)
  return findRepository(tx, taxonomy, { ...request, engine: 'native' })
}
