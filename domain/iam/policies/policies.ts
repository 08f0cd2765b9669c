import type { IamArea } from '../../../output/iam/area.ts'
import { policyNotFound, policyQuotaExceeded } from '../../../output/iam/errors.ts'
import type { PolicyHandlers } from '../../../output/iam/handlers.ts'
import type {
  ParsedCreatePolicyRequest,
  DeletePolicyRequest,
  GetPolicyRequest,
  IamOperation,
  ListPoliciesRequest,
  Policy,
  UpdatePolicyRequest,
} from '../../../output/iam/types.ts'
import { policyFields } from '../../../output/iam/validators.ts'
import { workspaceNotFound } from '../../../output/shared/errors.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { applyUpdate, checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { requireGrantable } from '../grants/escalation.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { policies } from '../collections/policies-store.ts'
import { writeSubjects } from '../collections/policy-subjects-store.ts'
import { requireChain } from '../values/scopes.ts'
import { checkedStatements, newlyAllowing, requireNamed } from './statement-checks.ts'
import { reachOf } from '../decisions/policy-statements.ts'
import type { Scope } from '../../ports/scope.ts'

/** The maximal number of policies in one workspace (iam.md 1); the quota of the organisation applies in addition. */
const maxPolicies = 100

/** The quota that counts policies. */
export const policyQuota = 'iam.policies'

/** Serves policies: statements that allow and deny inside workspaces (iam.md 1, 4.4). */
export class Policies implements PolicyHandlers {
  readonly #parts: IamEnvironment

  constructor(parts: IamEnvironment) {
    this.#parts = parts
  }

  async listPolicies({ workspace }: ListPoliciesRequest, { query }: ListContext): Promise<Page<Policy>> {
    await this.#requireWorkspace(workspace)
    return this.#parts.store.list(policies, query, { workspace_id: workspace })
  }

  async getPolicy(request: GetPolicyRequest): Promise<Answer<Policy>> {
    await this.#requireWorkspace(request.workspace)
    return foundPolicy(await this.#parts.store.get(policies, request.id), request).text
  }

  async createPolicy(request: ParsedCreatePolicyRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { body, workspace } = request
    const parts = this.#parts
    const statements = checkedStatements(parts.catalogue, body.statements)
    const policy = newPolicy(parts.clock.newId(), workspace, { ...body, statements }, context)
    return mutateIam(parts, context, request, async tx => {
      await parts.taxonomy.requireActive(tx, workspace)
      await parts.feed.hold(tx)
      await this.#requireGiving(tx, undefined, policy, context)
      await tx.insert(policies, policy)
      await this.#take(tx, workspace)
      await writeSubjects(tx, policy)
      await parts.feed.revise(tx, 'POLICY', workspace)
      return effectOn('CREATE', policy)
    })
  }

  /** Consumes quota for a new policy. Throws POLICY_QUOTA_EXCEEDED, then QUOTA_EXCEEDED. */
  async #take(tx: Transaction, workspace: string): Promise<void> {
    if ((await tx.count(policies, { workspace_id: workspace })) > maxPolicies) {
      const description = `a workspace has at most ${maxPolicies} policies`
      const quota = [{ subject: policyQuota, description }]
      throw policyQuotaExceeded(`${description}; delete some of them first`, { quota })
    }
    await this.#parts.taxonomy.consume(tx, workspace, [{ quota: policyQuota, amount: 1 }])
  }

  async updatePolicy(request: UpdatePolicyRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { update_mask, workspace } = request
    const parts = this.#parts
    const sent = request.body.statements
    const body = sent ? { ...request.body, statements: checkedStatements(parts.catalogue, sent) } : request.body
    return mutateIam(parts, context, request, async tx => {
      const stored = await this.#lock(tx, request)
      const { changed, value } = applyUpdate(policyFields, stored.value, body, update_mask)
      checkEtag(body.etag, stored.value.etag)
      await parts.taxonomy.requireActive(tx, workspace)
      await this.#requireGiving(tx, stored.value, value, context)
      if (changed.length === 0) return effectOn('UPDATE', value)
      const next = { ...value, etag: nextEtag(stored.value.etag), updated: formatMillis(context.now) }
      await tx.update(policies, stored.id, next, stored.version)
      await writeSubjects(tx, next)
      await parts.feed.revise(tx, 'POLICY', workspace)
      return { ...effectOn('UPDATE', value), changed }
    })
  }

  async deletePolicy(request: DeletePolicyRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { etag, workspace } = request
    const parts = this.#parts
    return mutateIam(parts, context, request, async tx => {
      const stored = await this.#lock(tx, request)
      checkEtag(etag, stored.value.etag)
      await parts.taxonomy.requireActive(tx, workspace)
      await dropPolicy(tx, stored)
      await parts.taxonomy.consume(tx, workspace, [{ quota: policyQuota, amount: -1 }])
      await parts.feed.revise(tx, 'POLICY', workspace)
      return effectOn('DELETE', stored.value)
    })
  }

  /**
   * Locks the organisation, the revision and the policy, in this order, and returns the policy. Throws
   * WORKSPACE_NOT_FOUND, POLICY_NOT_FOUND.
   */
  async #lock(tx: Transaction, request: GetPolicyRequest): Promise<Stored<Policy>> {
    const scope = workspaceScope(request.workspace)
    await this.#parts.taxonomy.share(tx, scope)
    if ((await this.#parts.taxonomy.chain(tx, scope)) === undefined) throw noWorkspace(request.workspace)
    await this.#parts.feed.hold(tx)
    return foundPolicy(await tx.lock(policies, request.id), request)
  }

  /** Checks rule E1 for newly allowed permissions, and that the named principals and roles exist. */
  async #requireGiving(
    tx: Transaction,
    before: Policy | undefined,
    after: Policy,
    context: CallContext,
  ): Promise<void> {
    const { catalogue } = this.#parts
    const scope = workspaceScope(after.workspace_id)
    if (before?.statements !== after.statements) {
      await requireNamed(tx, after.statements, await requireChain(tx, this.#parts, scope))
    }
    const granted = newlyAllowing(before, after).map(statement => {
      return { permissions: reachOf(catalogue, statement), scope, until: Infinity }
    })
    await requireGrantable(tx, this.#parts, context, granted)
  }

  async #requireWorkspace(workspace: string): Promise<void> {
    const { store, taxonomy } = this.#parts
    if ((await taxonomy.chain(store, workspaceScope(workspace))) === undefined) throw noWorkspace(workspace)
  }
}

const workspaceScope = (id: string): Scope => ({ type: 'WORKSPACE', id })

const noWorkspace = (id: string): Error =>
  workspaceNotFound(`workspace ${id} does not exist`, { resource: { type: 'taxonomy.workspaces', name: id } })

/** Returns the policy in the path; a policy of another workspace counts as absent (conventions §3). */
function foundPolicy(
  stored: Stored<Policy> | undefined,
  { id, workspace }: { readonly id: string; readonly workspace: string },
): Stored<Policy> {
  if (stored?.value.workspace_id === workspace) return stored
  throw policyNotFound(`workspace ${workspace} has no policy ${id}`, { resource: { type: 'iam.policies', name: id } })
}

/** Deletes a policy and the rows of its subjects; the caller returns the quota of the policy. */
export async function dropPolicy(tx: Transaction, { id, value, version }: Stored<Policy>): Promise<void> {
  await writeSubjects(tx, { ...value, statements: [] })
  await tx.delete(policies, id, version)
}

function newPolicy(
  id: string,
  workspace: string,
  body: Pick<Policy, 'name' | 'display_name' | 'description' | 'labels' | 'enabled' | 'statements'>,
  { now, principal }: CallContext,
): Policy {
  const { description, display_name, enabled, labels, name, statements } = body
  const time = formatMillis(now)
  return {
    id,
    workspace_id: workspace,
    name,
    display_name,
    description,
    labels,
    enabled,
    statements,
    created_by: principal?.id ?? '',
    etag: nextEtag(undefined),
    created: time,
    updated: time,
  }
}

const effectOn = (type: IamArea['operationType'], { id, workspace_id }: Policy): Effect<IamArea> => ({
  type,
  resourceType: 'iam.policies',
  resourceId: id,
  scope: workspaceScope(workspace_id),
})
