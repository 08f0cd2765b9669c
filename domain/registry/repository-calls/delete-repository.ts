import { repositoryNotEmpty } from '../../../output/registry/errors.ts'
import type { ParsedDeleteRepositoryRequest } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { requireNoLock } from '../locks/active-locks.ts'
import { settleReadOnly } from '../quotas/read-only.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { repositoryDeletion } from './delete-content.ts'
import { dropRules } from './drop-rules.ts'
import { purgeContent } from './purge-content.ts'
import type { RepositoryResources } from './repository-resources.ts'

/**
 * Deletes a repository without artifacts at once, and with `force` one with artifacts by durable work (registry.md 2).
 * Throws REPOSITORY_NOT_EMPTY, and ARTIFACT_LOCKED while a deployment lock of the repository is active.
 */
export function deleteRepository(
  { clock }: RegistryEnvironment,
  resources: RepositoryResources,
  request: ParsedDeleteRepositoryRequest,
  context: CallContext,
) {
  if (!request.force)
    return resources.delete(request, context, {
      async release(tx, repository) {
        requireEmpty(repository)
        await requireNoLock(tx, repository.id, context.now)
        await dropRules(tx, repository.id)
        await dropBlobs(tx, repository, clock.now())
        await settleReadOnly(tx, repository.workspace_id, formatMillis(context.now))
      },
    })
  const { etag } = request
  const given = { ...request, ...(etag !== undefined && { body: { etag } }) }
  return resources.verb('deleteContent', given, context, async (tx, { id }) => {
    await requireNoLock(tx, id, context.now)
    return { procedure: { kind: repositoryDeletion, input: { repository: id } } }
  })
}

function requireEmpty({ artifact_count, id }: StoredRepository): void {
  if (artifact_count === 0) return
  throw repositoryNotEmpty(`repository ${id} has ${artifact_count} artifacts; delete them first, or set force`, {
    precondition: [{ type: 'EMPTY', subject: id, description: 'must have no artifact' }],
  })
}

/** Takes away what uploads without a manifest have left. */
async function dropBlobs(tx: Transaction, { id }: StoredRepository, now: number): Promise<void> {
  while (!(await purgeContent(tx, id, now)));
}
