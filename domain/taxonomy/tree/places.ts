import type { Ancestor, LifecycleState } from '../../../output/taxonomy/types.ts'
import type { Reader } from '../../ports/store.ts'
import { groups, type StoredGroup, type StoredOrganisation } from './nodes.ts'
import { wireScope } from './scopes.ts'
import { strictness } from './states.ts'
import type { Scope } from '../../ports/scope.ts'

/** A state, and the node that it comes from: the nearest to the root where several have it. */
export interface Effective {
  readonly state: LifecycleState
  readonly source: Scope
}

/** An organisation or group as what stands under it sees it. */
export interface Place {
  readonly scope: Scope
  /** The nodes from the organisation to the place itself: the ancestors of what stands here. */
  readonly ancestors: Ancestor[]
  readonly effective: Effective
  /** Groups on the way, itself included; 0 is the organisation. */
  readonly depth: number
}

/** Places by the `parent_group_id` of what stands there; the empty one is the organisation. */
export type Places = ReadonlyMap<string, Place>

/** The effective state of a node with a state of its own below others. */
export function inherit(above: Effective, state: LifecycleState, scope: Scope): Effective {
  if (state === above.state) return above
  return strictness(state) > strictness(above.state) ? { state, source: scope } : above
}

/**
 * The places with these `parent_group_id`s and all above them, by one recursive read, which costs by their depth and not
 * by the size of the tree. A group that is gone has no place.
 */
export async function placesAt(
  reader: Reader,
  organisation: StoredOrganisation,
  parents: Iterable<string>,
): Promise<Places> {
  const ids = [...new Set(parents)].filter(id => id !== '')
  const found = await reader.above(groups, 'parent_group_id', ids)
  return placesOf(
    organisation,
    found.map(({ value }) => value),
  )
}

/** The place of one `parent_group_id`; undefined when it is no group of the organisation. */
export async function placeAt(
  reader: Reader,
  organisation: StoredOrganisation,
  parent: string,
): Promise<Place | undefined> {
  return (await placesAt(reader, organisation, [parent])).get(parent)
}

/** Groups and all below them, each once and in no order. */
export async function groupsIn(reader: Reader, ids: readonly string[]): Promise<readonly StoredGroup[]> {
  return (await reader.below(groups, 'parent_group_id', ids)).map(({ value }) => value)
}

/** The groups at and below a group, or all of an organisation, in no order. */
export async function groupsBelow(reader: Reader, organisation: string, node: string): Promise<readonly StoredGroup[]> {
  if (node !== organisation) return groupsIn(reader, [node])
  const found: StoredGroup[] = []
  for await (const { value } of reader.each(groups, { organisation_id: organisation })) found.push(value)
  return found
}

/** Places from groups that are at hand. Those of another organisation, or whose ancestors are missing, have none. */
export function placesOf(organisation: StoredOrganisation, found: readonly StoredGroup[]): Places {
  const places = new Map<string, Place>([['', rootOf(organisation)]])
  const children = Map.groupBy(
    found.filter(group => group.organisation_id === organisation.id),
    group => group.parent_group_id,
  )
  const open = ['']
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    const above = places.get(parent)
    if (above === undefined) continue
    for (const group of children.get(parent) ?? []) {
      places.set(group.id, below(above, group))
      open.push(group.id)
    }
  }
  return places
}

function rootOf({ id, name, state }: StoredOrganisation): Place {
  const scope = { type: 'ORGANISATION', id } as const
  return {
    scope,
    ancestors: [{ scope_type: wireScope(scope).scope_type, id, name }],
    effective: { state, source: scope },
    depth: 0,
  }
}

function below(above: Place, { id, name, state }: StoredGroup): Place {
  const scope = { type: 'GROUP', id } as const
  return {
    scope,
    ancestors: [...above.ancestors, { scope_type: wireScope(scope).scope_type, id, name }],
    effective: inherit(above.effective, state, scope),
    depth: above.depth + 1,
  }
}
