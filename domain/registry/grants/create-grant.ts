import type { RegistryArea } from '../../../output/registry/area.ts'
import { granteeInvalid, repositoryNotFound } from '../../../output/registry/errors.ts'
import type { ParsedCreatePullGrantRequest } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { atField, faultAt } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Transaction } from '../../ports/store.ts'
import { withAnsweredTimes } from '../../resources/answered-times.ts'
import { isAt } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { requireLater } from '../policies/check-rules.ts'
import { requireChangeable } from '../repositories/repository-kind.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'
import { isActive } from '../values/expiry.ts'
import { grantCollection, grantExists, type StoredGrant } from './grants-store.ts'

/** The slot of the newest grant of a grantee and a repository. */
const current = 'CURRENT'

/**
 * Creates a pull grant. A grant to a workspace outside of the organisation needs `registry.pullGrants.createExternal`
 * too, and so does an absent workspace, so that a caller without the permission does not learn which workspaces exist.
 * Throws GRANTEE_INVALID, EXPIRE_TIME_IN_PAST, REPOSITORY_NOT_FOUND, REPOSITORY_DELETING and PULL_GRANT_ALREADY_EXISTS.
 */
export async function createPullGrant(
  environment: RegistryEnvironment,
  request: ParsedCreatePullGrantRequest,
  context: CallContext,
) {
  const { access, clock, operations, store, taxonomy } = environment
  const { body, workspace } = request
  const [scope, grantee] = [workspaceScope(workspace), workspaceScope(body.grantee_workspace_id)]
  const [own, other] = [await taxonomy.chain(store, scope), await taxonomy.chain(store, grantee)]
  if (own && own.at(-1)?.id !== other?.at(-1)?.id)
    await access.require(context, 'registry.pullGrants.createExternal', scope)
  const row = newGrant(clock.newId(), request, context)
  return operations.mutate(context, request, async (tx): Promise<Effect<RegistryArea>> => {
    await taxonomy.share(tx, scope)
    await taxonomy.share(tx, grantee)
    await taxonomy.requireActive(tx, workspace)
    const repository = await grantedRepository(tx, row)
    requireLater(row.expire_time, 'expire_time', context.now)
    await requireGrantee(environment, tx, row)
    await retireExpired(tx, row, context.now)
    await tx.insert(grantCollection, row)
    await recordAuditEvent(tx, clock, context, { action: 'GRANT', workspace, repository })
    return { type: 'CREATE', resourceType: 'registry.pullGrants', resourceId: row.id, scope }
  })
}

const newGrant = (
  id: string,
  { body, engine, workspace }: ParsedCreatePullGrantRequest,
  { now, principal }: CallContext,
): StoredGrant => ({
  id,
  ...withAnsweredTimes(body, 'expire_time'),
  direction: 'REGISTRY_GRANT_DIRECTION_OUTGOING',
  grantor_workspace_id: workspace,
  created_by_principal_id: principal?.id ?? '',
  create_time: formatMillis(now),
  state: 'REGISTRY_PULL_GRANT_STATE_ACTIVE',
  engine,
  slot: current,
})

/** Shares and returns the repository of a grant; undefined for a grant of all repositories. */
async function grantedRepository(
  tx: Transaction,
  { engine, grantor_workspace_id: workspace, repository_id: id }: StoredGrant,
): Promise<StoredRepository | undefined> {
  if (id === '') return undefined
  const repository = (await tx.share(repositoryCollection, id))?.value
  if (!repository || !isAt(repository, { workspace, engine })) {
    const message = `engine ${engine} of workspace ${workspace} has no repository ${id}`
    throw atField(
      repositoryNotFound(message, { resource: { type: 'registry.repositories', name: id } }),
      'repository_id',
    )
  }
  requireChangeable(repository)
  return repository
}

async function requireGrantee(
  { taxonomy }: Pick<RegistryEnvironment, 'taxonomy'>,
  tx: Transaction,
  { grantee_workspace_id: id, grantor_workspace_id }: StoredGrant,
): Promise<void> {
  if (id === grantor_workspace_id)
    throw faultAt(granteeInvalid, 'grantee_workspace_id', 'is the workspace itself; its principals need no grant')
  if (await taxonomy.chain(tx, workspaceScope(id))) return
  throw faultAt(granteeInvalid, 'grantee_workspace_id', `there is no workspace ${id}`)
}

/** Frees the slot of an expired grant. Throws PULL_GRANT_ALREADY_EXISTS for a grant that is active. */
async function retireExpired(tx: Transaction, row: StoredGrant, now: number): Promise<void> {
  const { engine, grantee_workspace_id, grantor_workspace_id, repository_id, slot } = row
  const where = { grantor_workspace_id, engine, grantee_workspace_id, repository_id, slot }
  const before = await tx.find(grantCollection, where)
  if (!before) return
  if (isActive(before.value, now)) throw grantExists(before.value)
  await tx.update(grantCollection, before.id, { ...before.value, slot: before.id }, before.version)
}
