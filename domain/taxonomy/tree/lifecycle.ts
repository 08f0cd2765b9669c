import type { TaxonomyArea } from '../../../output/taxonomy/area.ts'
import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Iam } from '../../ports/iam.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Reader, Stored, Transaction, Where } from '../../ports/store.ts'
import { cascade } from './cascade-order.ts'
import { effectOn, requireNodeState, unlessPlatforms, type NodeKind, type StoredNode } from './kinds.ts'
import { archivals, workspaces } from './nodes.ts'
import { groupsBelow } from './places.ts'
import { active, archived, statesBelow, strictness, suspended } from './states.ts'
import type { Scope } from '../../ports/scope.ts'

interface LifecycleVerb {
  /** The type of the operation. */
  readonly type: TaxonomyArea['operationType']
  /** The states that allow the verb, in the order of the table in taxonomy.md §2. */
  readonly from: readonly LifecycleState[]
  /** The state after the verb; undefined for the state that the node had before it was archived. */
  readonly to: LifecycleState | undefined
  readonly isForPlatformNodes: boolean
}

/** The state verbs, which are equal for organisations, groups and workspaces (taxonomy.md §2). */
const transitions = {
  suspend: { type: 'SUSPEND', from: [active], to: suspended, isForPlatformNodes: false },
  resume: { type: 'RESUME', from: [suspended], to: active, isForPlatformNodes: true },
  archive: { type: 'ARCHIVE', from: [active, suspended], to: archived, isForPlatformNodes: false },
  restore: { type: 'RESTORE', from: [archived], to: undefined, isForPlatformNodes: true },
} as const satisfies Readonly<Record<string, LifecycleVerb>>

/** The name of a state verb. */
export type Verb = keyof typeof transitions

/** A node whose tree is locked. */
interface HeldNode<T extends StoredNode> {
  readonly kind: NodeKind<T>
  /** The scopes above the node, from the organisation downwards. */
  readonly above: readonly Scope[]
  readonly stored: Stored<T>
}

/**
 * Changes the own state of a node whose tree is locked, and returns the effect. The new state applies to all
 * descendants from the commit on. If the effective state of a workspace changed, the areas apply the new state
 * afterwards.
 */
export async function changeState<T extends StoredNode>(
  tx: Transaction,
  { above, kind, stored }: HeldNode<T>,
  verb: Verb,
  { context, iam, reason }: { readonly reason: string; readonly context: CallContext; readonly iam: Iam },
): Promise<Effect<TaxonomyArea>> {
  const { id, value, version } = stored
  const { from, isForPlatformNodes, to, type }: LifecycleVerb = transitions[verb]
  requireNodeState(kind, value, isForPlatformNodes ? from : unlessPlatforms(id, from))
  const state = to ?? (await takeArchival(tx, id))
  if (state === archived) await tx.insert(archivals, { id, state: value.state })
  const time = formatMillis(context.now)
  const mark = { state, state_reason: reason, state_change_time: time, update_time: time }
  await tx.update(
    kind.collection,
    id,
    kind.marked(value, { ...mark, state_changed_by: context.principal?.id ?? '' }),
    version,
  )
  const effect = effectOn(kind, type, id, above)
  const [{ id: organisation } = effect.scope] = above
  await iam.scopeChanged(tx, effect.scope, 'STATE')
  const ceiling = Math.max(strictness(value.state), strictness(state))
  const isFollowed = kind.scopeType === 'WORKSPACE' || (await reachesWorkspace(tx, organisation, id, ceiling))
  return isFollowed ? { ...effect, procedure: cascade({ organisation, scope: effect.scope, state, time }) } : effect
}

/** Deletes the state that an archived node had before, and returns this state. */
async function takeArchival(tx: Transaction, id: string): Promise<LifecycleState> {
  const stored = await tx.lock(archivals, id)
  if (stored === undefined) throw new Error(`the archived node ${id} has no state to be restored to`)
  await tx.delete(archivals, id, stored.version)
  return stored.value.state
}

/** Deletes the former state of a node that is deleted while archived. */
export async function dropArchival(tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(archivals, id)
  if (stored) await tx.delete(archivals, id, stored.version)
}

/**
 * Returns whether a change of a node changes the effective state of a workspace; `ceiling` is the strictness of the
 * stricter of the node's two states. A workspace keeps its effective state if the workspace, or a group between the
 * workspace and the node, is at least as strict. For example, if a suspended group is archived, its suspended
 * workspaces become ARCHIVED, and its archived workspaces stay ARCHIVED.
 */
async function reachesWorkspace(reader: Reader, organisation: string, node: string, ceiling: number): Promise<boolean> {
  const parents = await transparentParents(reader, organisation, node, ceiling)
  const where: Where = { organisation_id: organisation, parent_group_id: parents, state: statesBelow(ceiling) }
  return reader.exists(workspaces, where)
}

/**
 * Returns the `parent_group_id`s of the workspaces that a change of a node can reach: the node itself, and the groups
 * below it that are less strict than `ceiling`, as are all groups between them and the node.
 */
async function transparentParents(
  reader: Reader,
  organisation: string,
  node: string,
  ceiling: number,
): Promise<readonly string[]> {
  const children = Map.groupBy(await groupsBelow(reader, organisation, node), group => group.parent_group_id)
  const reached = [node === organisation ? '' : node]
  for (const parent of reached) {
    const open = (children.get(parent) ?? []).filter(({ state }) => strictness(state) < ceiling)
    reached.push(...open.map(({ id }) => id))
  }
  return reached
}
