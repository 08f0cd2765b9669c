import type { RegistryArea } from '../../../output/registry/area.ts'
import { pullGrantNotFound } from '../../../output/registry/errors.ts'
import type { DeletePullGrantRequest } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { grantCollection, type StoredGrant } from './grants-store.ts'

/** Deletes a grant that the workspace of the path gave. Throws PULL_GRANT_NOT_FOUND for any other grant. */
export function deletePullGrant(
  { clock, operations, taxonomy }: RegistryEnvironment,
  request: DeletePullGrantRequest,
  context: CallContext,
) {
  const { workspace } = request
  const scope = workspaceScope(workspace)
  return operations.mutate(context, request, async (tx): Promise<Effect<RegistryArea>> => {
    await taxonomy.share(tx, scope)
    await requireWorkspace(tx, taxonomy, workspace)
    const { id, value, version } = await lockGiven(tx, request)
    await taxonomy.requireActive(tx, workspace)
    await tx.delete(grantCollection, id, version)
    const { repository_id } = value
    const repository = repository_id === '' ? undefined : await tx.get(repositoryCollection, repository_id)
    await recordAuditEvent(tx, clock, context, { action: 'REVOKE', workspace, repository: repository?.value })
    return { type: 'DELETE', resourceType: 'registry.pullGrants', resourceId: id, scope }
  })
}

async function lockGiven(
  tx: Transaction,
  { engine, id, workspace }: DeletePullGrantRequest,
): Promise<Stored<StoredGrant>> {
  const stored = await tx.lock(grantCollection, id)
  if (stored?.value.grantor_workspace_id === workspace && stored.value.engine === engine) return stored
  throw pullGrantNotFound(`engine ${engine} of workspace ${workspace} gave no pull grant ${id}`, {
    resource: { type: 'registry.pullGrants', name: id },
  })
}
