import type { Ancestor, LifecycleState } from '../../../output/taxonomy/types.ts'
import type { Reader } from '../../ports/store.ts'
import { groups, type StoredGroup, type StoredOrganisation } from './nodes.ts'
import { wireScope } from './scopes.ts'
import { strictness } from './states.ts'
import type { Scope } from '../../ports/scope.ts'

/** A state and its source: the topmost node with this state. */
export interface Effective {
  readonly state: LifecycleState
  readonly source: Scope
}

/** An organisation or group, with the values that its children inherit. */
export interface TreePlace {
  readonly scope: Scope
  /** The nodes from the organisation to the place itself: the ancestors of its children. */
  readonly ancestors: Ancestor[]
  readonly effective: Effective
  /** The number of groups from the organisation down to the place, the place included; 0 for the organisation. */
  readonly depth: number
}

/** Places, keyed by the `parent_group_id` of their children; the empty id means the organisation. */
export type Places = ReadonlyMap<string, TreePlace>

/** Returns the effective state of a node from its own state and the state of its parent. */
export function inherit(above: Effective, state: LifecycleState, scope: Scope): Effective {
  if (state === above.state) return above
  return strictness(state) > strictness(above.state) ? { state, source: scope } : above
}

/**
 * Returns the places with these `parent_group_id`s and all their ancestors, by one recursive read. The cost of the read
 * grows with the depth of the places, not with the size of the tree. A deleted group has no place.
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

/** Returns the place of one `parent_group_id`; undefined if the id is not a group of the organisation. */
export async function placeAt(
  reader: Reader,
  organisation: StoredOrganisation,
  parent: string,
): Promise<TreePlace | undefined> {
  return (await placesAt(reader, organisation, [parent])).get(parent)
}

/** Returns the groups with the ids `ids` and all groups below them, each once and unordered. */
export async function groupsIn(reader: Reader, ids: readonly string[]): Promise<readonly StoredGroup[]> {
  return (await reader.below(groups, 'parent_group_id', ids)).map(({ value }) => value)
}

/** Returns the groups at and below a group, or all groups of an organisation, unordered. */
export async function groupsBelow(reader: Reader, organisation: string, node: string): Promise<readonly StoredGroup[]> {
  if (node !== organisation) return groupsIn(reader, [node])
  const found: StoredGroup[] = []
  for await (const { value } of reader.each(groups, { organisation_id: organisation })) found.push(value)
  return found
}

/**
 * Returns the places of the organisation and of groups that are already read. Groups of another organisation, and
 * groups with missing ancestors, have no place.
 */
export function placesOf(organisation: StoredOrganisation, found: readonly StoredGroup[]): Places {
  const places = new Map<string, TreePlace>([['', rootOf(organisation)]])
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

function rootOf({ id, name, state }: StoredOrganisation): TreePlace {
  const scope = { type: 'ORGANISATION', id } as const
  return {
    scope,
    ancestors: [{ scope_type: wireScope(scope).scope_type, id, name }],
    effective: { state, source: scope },
    depth: 0,
  }
}

function below(above: TreePlace, { id, name, state }: StoredGroup): TreePlace {
  const scope = { type: 'GROUP', id } as const
  return {
    scope,
    ancestors: [...above.ancestors, { scope_type: wireScope(scope).scope_type, id, name }],
    effective: inherit(above.effective, state, scope),
    depth: above.depth + 1,
  }
}
