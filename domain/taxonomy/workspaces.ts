import type { TaxonomyArea } from '../../output/taxonomy/area.ts'
import type { WorkspaceHandlers } from '../../output/taxonomy/handlers.ts'
import type {
  ParsedCreateWorkspaceRequest,
  ParsedDeleteWorkspaceRequest,
  GetWorkspaceRequest,
  ListWorkspacesRequest,
  MoveWorkspaceRequest,
  TaxonomyOperation,
  UpdateWorkspaceRequest,
  Workspace,
} from '../../output/taxonomy/types.ts'
import type { CallContext, ListContext } from '../../runtime/context.ts'
import { checkEtag } from '../../runtime/field-mask.ts'
import type { Answer } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Effect } from '../ports/operations.ts'
import type { Stored, Transaction } from '../ports/store.ts'
import { placeScope, seenNodes } from './access-scopes.ts'
import { workspaceAnswer } from './answers.ts'
import { tellBirth } from './births.ts'
import { requireNothingHeld, requireNothingProtected } from './held-by-areas.ts'
import { changeChild, updateChild } from './child-changes.ts'
import { answerable } from './tree/inherited-fields.ts'
import { refusalOf } from '../resources/refusal.ts'
import {
  effectOn,
  foundWorkspace,
  noWorkspace,
  requireNodeState,
  unlessPlatforms,
  workspaceKind,
} from './tree/kinds.ts'
import type { Verb } from './tree/lifecycle.ts'
import { limitsOn, requireRoom } from './quotas/limits.ts'
import { scopesOf } from './tree/locate.ts'
import { lockChild } from './tree/lock-child.ts'
import { requireMoveRoom } from './quotas/move-room.ts'
import { newChild } from './tree/new-child.ts'
import { workspaces, type StoredWorkspace } from './tree/nodes.ts'
import { activePlace, namedParent, requireParentPlace, standingPlace } from './tree/parents.ts'
import type { TaxonomyEnvironment } from './tree/taxonomy-environment.ts'
import { inherit } from './tree/places.ts'
import { dropWorkspace, forcedPurge, freePurge } from './cascade/purge.ts'
import { answeredPage, HandedWorkspace, readWorkspace } from './read-workspace.ts'
import { active, archived, deleting, suspended } from './tree/states.ts'
import { changeTree, lockTree } from './tree/tree-lock.ts'
import type { TreeReads } from './tree/tree-reads.ts'
import { followUnfollowed } from './cascade/unfollowed.ts'
import { moveUsage } from './quotas/usage.ts'

/** Serves workspaces, which hold the resources of all other areas (taxonomy.md §1). */
export class Workspaces implements WorkspaceHandlers {
  readonly #parts: TaxonomyEnvironment
  readonly #trees: TreeReads

  constructor(parts: TaxonomyEnvironment, trees: TreeReads) {
    this.#parts = parts
    this.#trees = trees
  }

  async listWorkspaces({ organisation }: ListWorkspacesRequest, context: ListContext): Promise<Page<Workspace>> {
    const { query } = context
    const where = { organisation_id: organisation, ...(await seenNodes(this.#parts.access, context, organisation)) }
    return this.#trees.read(organisation, async tree => {
      const { derived, query: own } = await answerable(tree, query)
      const options = { derived, members: ['parent_group_id', 'state'], witness: tree.witness } as const
      const page = await tree.reader.page(workspaces, own, where, options)
      const answer = answeredPage(page, tree.known)
      if (answer) return { answer, version: page.witnessed }
      return { answer: answeredPage(page, await tree.at(page.items.map(({ members: [parent] }) => parent))) }
    })
  }

  async getWorkspace(request: GetWorkspaceRequest, context: CallContext): Promise<Answer<Workspace>> {
    const { handedOn } = context
    let decided = handedOn instanceof HandedWorkspace ? handedOn.read : undefined
    return this.#trees.read(request.organisation, async tree => {
      const found = decided ?? (await readWorkspace(tree.reader, request))
      // A repeated read must read the row again.
      decided = undefined
      if (found === undefined) throw noWorkspace(request)
      const { id, members, text, witnessed } = found
      const [, parent, state] = members
      const place = tree.known.get(parent) ?? (await tree.at([parent])).get(parent)
      return { answer: place && workspaceAnswer({ id, text, state }, place), version: witnessed }
    })
  }

  async createWorkspace(
    request: ParsedCreateWorkspaceRequest,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { clock, hooks, operations } = this.#parts
    const { etag: _precondition, parent_group_id: parent, ...settable } = request.body
    const workspace = newChild(clock.newId(), formatMillis(context.now), {
      organisation_id: request.organisation,
      parent_group_id: parent,
      ...settable,
    })
    return operations.mutate(context, request, async tx => {
      const organisation = await lockTree(tx, request.organisation, { workspaces: 1 })
      const place = await namedParent(tx, organisation.value, parent)
      // The insert precedes the quota, because a taken name is reported before an exceeded quota (conventions §4).
      await tx.insert(workspaces, workspace)
      const above = scopesOf(place)
      const effect = effectOn(workspaceKind, 'CREATE', workspace.id, above)
      await this.#parts.functions.iam.grantCreator(tx, context.principal?.id ?? '', effect)
      await this.#parts.functions.iam.ensureServiceAccount(tx, effect, 'default')
      const quota = 'taxonomy.workspaces'
      await requireRoom(tx, await limitsOn(tx, quota, above), { quota, amount: 1, isCounted: true })
      await tellBirth(tx, hooks(), workspace.id)
      return effect
    })
  }

  updateWorkspace(request: UpdateWorkspaceRequest, context: CallContext): Promise<Answer<TaxonomyOperation>> {
    return updateChild(this.#parts, workspaceKind, request, context)
  }

  /**
   * Deletes a workspace that is effectively archived. Without `force`, the workspace must contain no resource of its
   * users, and is deleted before the response. With `force`, its resources are purged first, unless an area protects a
   * resource.
   */
  async deleteWorkspace(
    request: ParsedDeleteWorkspaceRequest,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { etag, force, id } = request
    return this.#parts.operations.mutate(context, request, async tx => {
      const organisation = await lockTree(tx, request.organisation, { workspaces: force ? 0 : -1 })
      const stored = foundWorkspace(await tx.lock(workspaces, id), request)
      checkEtag(etag, stored.value.etag)
      const place = await standingPlace(tx, organisation.value, stored.value.parent_group_id)
      const { state } = inherit(place.effective, stored.value.state, { type: 'WORKSPACE', id })
      requireNodeState(workspaceKind, stored.value, unlessPlatforms(id, [archived]), state)
      const effect = effectOn(workspaceKind, 'DELETE', id, scopesOf(place))
      return force ? this.#purge(tx, stored, effect, context) : this.#delete(tx, stored, effect)
    })
  }

  /**
   * Starts the purge of a workspace, and returns the effect. The workspace keeps its name and stays counted until the
   * last area has finished its purge.
   */
  async #purge(
    tx: Transaction,
    { id, value, version }: Stored<StoredWorkspace>,
    effect: Effect<TaxonomyArea>,
    context: CallContext,
  ): Promise<Effect<TaxonomyArea>> {
    await requireNothingProtected(tx, this.#parts.hooks(), value)
    const time = formatMillis(context.now)
    const by = context.principal?.id ?? ''
    const mark = { state: deleting, state_reason: '', state_change_time: time, state_changed_by: by, update_time: time }
    await tx.update(workspaces, id, workspaceKind.marked(value, mark), version)
    return { ...effect, procedure: forcedPurge(id) }
  }

  async #delete(
    tx: Transaction,
    stored: Stored<StoredWorkspace>,
    effect: Effect<TaxonomyArea>,
  ): Promise<Effect<TaxonomyArea>> {
    await requireNothingHeld(tx, this.#parts.hooks(), stored.value)
    await dropWorkspace(tx, stored)
    await this.#parts.functions.iam.scopeChanged(tx, effect.scope, 'DELETED')
    await this.#parts.operations.follow(tx, { ...freePurge(stored.id), scope: effect.scope })
    return effect
  }

  async moveWorkspace(request: MoveWorkspaceRequest, context: CallContext): Promise<Answer<TaxonomyOperation>> {
    const { body, id } = request
    const parent = body.parent_group_id
    const target = await placeScope(this.#parts.store, request.organisation, parent)
    const refusal = await refusalOf(this.#parts.access.require(context, 'taxonomy.workspaces.move', target))
    return this.#parts.operations.mutate(context, request, async tx => {
      if (refusal) throw refusal
      const { organisation, parent: from, stored, tree } = await lockChild(tx, workspaceKind, request, body.etag)
      // An inactive parent is reported before the node's own state, an absent parent after it (conventions §4).
      const place = await activePlace(tx, organisation, parent)
      requireNodeState(workspaceKind, stored.value, unlessPlatforms(id, [active, suspended]))
      const to = requireParentPlace(place, parent)
      const effect = effectOn(workspaceKind, 'MOVE', id, scopesOf(to))
      if (parent === stored.value.parent_group_id) return effect
      await changeTree(tx, tree)
      await this.#parts.functions.iam.scopeChanged(tx, effect.scope, 'MOVED')
      const next = { ...stored.value, parent_group_id: parent, update_time: formatMillis(context.now) }
      await tx.update(workspaces, id, next, stored.version)
      await moveUsage(tx, id, parent)
      await requireMoveRoom(tx, organisation.id, from, to, effect.scope)
      // A cascade in progress above the old place misses the moved workspace.
      await followUnfollowed(tx, this.#parts, organisation.id, [id])
      return { ...effect, changed: ['parent_group_id'] }
    })
  }

  readonly archiveWorkspace = this.#change('archive')
  readonly restoreWorkspace = this.#change('restore')
  readonly suspendWorkspace = this.#change('suspend')
  readonly resumeWorkspace = this.#change('resume')

  #change(verb: Verb): WorkspaceHandlers['suspendWorkspace'] {
    return (request, context) => changeChild(this.#parts, { kind: workspaceKind, verb }, request, context)
  }
}
