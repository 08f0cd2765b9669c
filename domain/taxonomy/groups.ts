import { groupNotEmpty } from '../../output/taxonomy/errors.ts'
import type { GroupHandlers } from '../../output/taxonomy/handlers.ts'
import type {
  ParsedCreateGroupRequest,
  DeleteGroupRequest,
  GetGroupRequest,
  Group,
  ListGroupsRequest,
  MoveGroupRequest,
  TaxonomyOperation,
  UpdateGroupRequest,
} from '../../output/taxonomy/types.ts'
import type { CallContext, ListContext } from '../../runtime/context.ts'
import { checkEtag } from '../../runtime/field-mask.ts'
import type { Answer } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { placeScope, seenNodes } from './access-scopes.ts'
import { groupAnswer } from './answers.ts'
import { catchUp } from './tree/cascade-order.ts'
import { changeChild, updateChild } from './child-changes.ts'
import { answerable } from './tree/inherited-fields.ts'
import { refusalOf } from '../resources/refusal.ts'
import { effectOn, foundGroup, groupKind, requireNodeState } from './tree/kinds.ts'
import { dropArchival, type Verb } from './tree/lifecycle.ts'
import { limitsOn, requireRoom } from './quotas/limits.ts'
import { scopesOf } from './tree/locate.ts'
import { lockChild } from './tree/lock-child.ts'
import { requireMoveRoom } from './quotas/move-room.ts'
import { newChild } from './tree/new-child.ts'
import { groups } from './tree/nodes.ts'
import {
  activePlace,
  heightOf,
  namedParent,
  requireFit,
  requireOutside,
  requireParentPlace,
  standingPlace,
} from './tree/parents.ts'
import type { TaxonomyEnvironment } from './tree/taxonomy-environment.ts'
import { groupsIn, inherit } from './tree/places.ts'
import { deleteOverridesAt } from './quotas/quota-overrides-store.ts'
import { requireEmpty } from './require-empty.ts'
import { active, archived, suspended } from './tree/states.ts'
import { changeTree, lockTree } from './tree/tree-lock.ts'
import type { TreeReads } from './tree/tree-reads.ts'
import { mayHaveUnfollowed } from './cascade/unfollowed.ts'

/** Serves groups: subtrees of an organisation, nested up to ten deep (taxonomy.md §1). */
export class Groups implements GroupHandlers {
  readonly #parts: TaxonomyEnvironment
  readonly #trees: TreeReads

  constructor(parts: TaxonomyEnvironment, trees: TreeReads) {
    this.#parts = parts
    this.#trees = trees
  }

  async listGroups({ organisation }: ListGroupsRequest, context: ListContext): Promise<Page<Group>> {
    const { query } = context
    const seen = await seenNodes(this.#parts.access, context, organisation)
    return this.#trees.read(organisation, async tree => {
      const { derived, query: own } = await answerable(tree, query)
      const options = { derived, members: ['parent_group_id', 'state'] } as const
      const page = await tree.reader.page(groups, own, { organisation_id: organisation, ...seen }, options)
      const places = await tree.at(page.items.map(({ members: [parent] }) => parent))
      const counts = await tree.below(page.items.map(({ id }) => id))
      const items = page.items.map(({ id, members: [parent, state], text }) => {
        const place = places.get(parent)
        const below = counts.get(id)
        return place && below && groupAnswer({ id, text, state }, place, below)
      })
      return { answer: items.every(item => item !== undefined) ? { ...page, items } : undefined }
    })
  }

  async getGroup(request: GetGroupRequest): Promise<Answer<Group>> {
    return this.#trees.read(request.organisation, async tree => {
      const { id, text, value } = foundGroup(await tree.reader.get(groups, request.id), request)
      const place = (await tree.at([value.parent_group_id])).get(value.parent_group_id)
      const below = (await tree.below([id])).get(id)
      return { answer: place && below && groupAnswer({ id, text, state: value.state }, place, below) }
    })
  }

  async createGroup(request: ParsedCreateGroupRequest, context: CallContext): Promise<Answer<TaxonomyOperation>> {
    const { clock, operations } = this.#parts
    const { etag: _precondition, parent_group_id: parent, ...settable } = request.body
    const group = newChild(clock.newId(), formatMillis(context.now), {
      organisation_id: request.organisation,
      parent_group_id: parent,
      ...settable,
    })
    return operations.mutate(context, request, async tx => {
      const organisation = await lockTree(tx, request.organisation, { groups: 1 })
      const place = await namedParent(tx, organisation.value, parent)
      await requireFit(tx, organisation.id, { id: parent, depth: place.depth }, 1)
      // The insert precedes the quota, because a taken name is reported before an exceeded quota (conventions §4).
      await tx.insert(groups, group)
      const quota = 'taxonomy.groups'
      const above = scopesOf(place)
      await requireRoom(tx, await limitsOn(tx, quota, above), { quota, amount: 1, isCounted: true })
      return effectOn(groupKind, 'CREATE', group.id, above)
    })
  }

  updateGroup(request: UpdateGroupRequest, context: CallContext): Promise<Answer<TaxonomyOperation>> {
    return updateChild(this.#parts, groupKind, request, context)
  }

  /** Deletes an empty group; its descendants must be deleted before. The overrides at the group are deleted too. */
  async deleteGroup(request: DeleteGroupRequest, context: CallContext): Promise<Answer<TaxonomyOperation>> {
    const { etag, id } = request
    return this.#parts.operations.mutate(context, request, async tx => {
      const organisation = await lockTree(tx, request.organisation, { groups: -1 })
      const stored = foundGroup(await tx.lock(groups, id), request)
      checkEtag(etag, stored.value.etag)
      const place = await standingPlace(tx, organisation.value, stored.value.parent_group_id)
      const { state } = inherit(place.effective, stored.value.state, { type: 'GROUP', id })
      requireNodeState(groupKind, stored.value, [archived], state)
      await requireEmpty(tx, { organisation_id: organisation.id, parent_group_id: id }, stored.value, groupNotEmpty)
      await deleteOverridesAt(tx, id)
      await dropArchival(tx, id)
      await tx.delete(groups, id, stored.version)
      const effect = effectOn(groupKind, 'DELETE', id, scopesOf(place))
      await this.#parts.functions.iam.scopeChanged(tx, effect.scope, 'DELETED')
      return effect
    })
  }

  /**
   * Moves a group with all its descendants. The rows of the descendants stay unchanged, because inherited and summed
   * values are computed from the tree.
   */
  async moveGroup(request: MoveGroupRequest, context: CallContext): Promise<Answer<TaxonomyOperation>> {
    const { body, id } = request
    const parent = body.parent_group_id
    const target = await placeScope(this.#parts.store, request.organisation, parent)
    const refusal = await refusalOf(this.#parts.access.require(context, 'taxonomy.groups.move', target))
    return this.#parts.operations.mutate(context, request, async tx => {
      if (refusal) throw refusal
      const { organisation, parent: from, stored, tree } = await lockChild(tx, groupKind, request, body.etag)
      // An inactive parent is reported before the node's own state, an absent parent after it (conventions §4).
      const place = await activePlace(tx, organisation, parent)
      requireNodeState(groupKind, stored.value, [active, suspended])
      const to = requireParentPlace(place, parent)
      const effect = effectOn(groupKind, 'MOVE', id, scopesOf(to))
      if (parent === stored.value.parent_group_id) return effect
      requireOutside(stored.value, to)
      await changeTree(tx, tree)
      await this.#parts.functions.iam.scopeChanged(tx, effect.scope, 'MOVED')
      const moved = await groupsIn(tx, [id])
      await requireFit(tx, organisation.id, { id: parent, depth: to.depth }, heightOf(id, moved))
      const next = { ...stored.value, parent_group_id: parent, update_time: formatMillis(context.now) }
      await tx.update(groups, id, next, stored.version)
      await requireMoveRoom(tx, organisation.id, from, to, effect.scope)
      // A cascade in progress above the old place misses the workspaces that have moved away.
      if (await mayHaveUnfollowed(tx, organisation.id)) {
        const { scope } = effect
        await this.#parts.operations.follow(tx, { ...catchUp({ organisation: organisation.id, scope }), scope })
      }
      return { ...effect, changed: ['parent_group_id'] }
    })
  }

  readonly archiveGroup = this.#change('archive')
  readonly restoreGroup = this.#change('restore')
  readonly suspendGroup = this.#change('suspend')
  readonly resumeGroup = this.#change('resume')

  #change(verb: Verb): GroupHandlers['suspendGroup'] {
    return (request, context) => changeChild(this.#parts, { kind: groupKind, verb }, request, context)
  }
}
