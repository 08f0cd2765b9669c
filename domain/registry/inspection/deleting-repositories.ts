import type { Reader } from '../../ports/store.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'

/** Returns the repositories whose content is being deleted in batches, and need not agree. */
export async function deletingRepositories(reader: Reader): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  const where = { state: 'REGISTRY_REPOSITORY_STATE_DELETING' } as const
  for await (const { id } of reader.each(repositoryCollection, where)) ids.add(id)
  return ids
}
