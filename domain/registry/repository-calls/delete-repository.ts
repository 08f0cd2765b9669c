import { repositoryNotEmpty } from '../../../output/registry/errors.ts'
import type { ParsedDeleteRepositoryRequest } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { isAt } from '../../resources/find-rows.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { lockShrinking } from '../repositories/lock-repository.ts'
import { requireNoLock } from '../locks/active-locks.ts'
import { settleReadOnly } from '../quotas/read-only.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'
import { repositoryDeletion } from './delete-content.ts'
import { dropRules } from './drop-rules.ts'
import { purgeContent } from './purge-content.ts'
import type { RepositoryResources } from './repository-resources.ts'

/**
 * Deletes a repository without artifacts at once, and with `force` one with artifacts by durable work (registry.md 2).
 * Throws REPOSITORY_NOT_EMPTY, ARTIFACT_LOCKED while a deployment lock of the repository is active, and ENGINE_UNAVAILABLE
 * if a cluster has to say whether its repository is empty and does not answer.
 */
export async function deleteRepository(
  environment: RegistryEnvironment,
  resources: RepositoryResources,
  request: ParsedDeleteRepositoryRequest,
  context: CallContext,
) {
  const { clock } = environment
  if (!request.force) {
    const isTagged = await hasClusterTags(environment, request)
    return resources.delete(request, context, {
      async lockFirst(tx) {
        const seen = (await tx.get(repositoryCollection, request.id))?.value
        if (seen && isAt(seen, request)) await lockShrinking(tx, request.id)
      },
      async release(tx, repository) {
        requireEmpty(repository, isTagged)
        await requireNoLock(tx, repository.id, context.now)
        await dropRules(tx, repository.id)
        await dropBlobs(tx, repository, clock.now())
        await settleReadOnly(tx, repository.workspace_id, formatMillis(context.now))
      },
    })
  }
  const { etag } = request
  const given = { ...request, ...(etag !== undefined && { body: { etag } }) }
  return resources.verb('deleteContent', given, context, async (tx, { id }) => {
    await requireNoLock(tx, id, context.now)
    return { procedure: { kind: repositoryDeletion, input: { repository: id } } }
  })
}

/** Returns whether the cluster of a repository has tags of it. Throws ENGINE_UNAVAILABLE. */
async function hasClusterTags(
  { engines, store }: RegistryEnvironment,
  { engine: name, id, workspace }: ParsedDeleteRepositoryRequest,
): Promise<boolean> {
  const engine = engines.get(name)
  const stored = engine && (await store.get(repositoryCollection, id))
  if (!stored || !isAt(stored.value, { workspace, engine: name })) return false
  return (await engine.cluster.tags(stored.value.path)).length > 0
}

function requireEmpty({ artifact_count, id }: StoredRepository, isTagged: boolean): void {
  if (artifact_count === 0 && !isTagged) return
  const content = isTagged ? 'tags in its cluster' : `${artifact_count} artifacts`
  throw repositoryNotEmpty(`repository ${id} has ${content}; delete them first, or set force`, {
    precondition: [{ type: 'EMPTY', subject: id, description: 'must have no artifact' }],
  })
}

/** Takes away what uploads without a manifest have left. */
async function dropBlobs(tx: Transaction, { id }: StoredRepository, now: number): Promise<void> {
  while (!(await purgeContent(tx, id, now)));
}
