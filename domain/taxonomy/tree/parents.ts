import {
  groupChildrenExceeded,
  groupDepthExceeded,
  groupMoveCycle,
  groupParentNotFound,
  parentNotActive,
} from '../../../output/taxonomy/errors.ts'
import type { Reader } from '../../ports/store.ts'
import { groups, type StoredGroup, type StoredOrganisation } from './nodes.ts'
import { placeAt, type TreePlace } from './places.ts'
import { notActive } from './refusals.ts'
import { active } from './states.ts'

/** The maximal number of groups on the longest path down from an organisation (taxonomy.md §4). */
export const maxDepth = 10
/** The maximal number of child groups of one parent, the organisation included (taxonomy.md §4). */
export const maxChildren = 300

/**
 * Returns the place that a body names as parent. Throws PARENT_NOT_ACTIVE, then GROUP_PARENT_NOT_FOUND if no group of
 * the organisation has the id.
 */
export async function namedParent(
  reader: Reader,
  organisation: StoredOrganisation,
  parent: string,
): Promise<TreePlace> {
  const place = await activePlace(reader, organisation, parent)
  // The organisation is above every parent, and an inactive node is reported before an absent row (conventions §4).
  if (place === undefined) await activeParent(reader, organisation, '')
  return requireParentPlace(place, parent)
}

/** Returns the place that a body names as parent; undefined if no such place exists. Throws PARENT_NOT_ACTIVE. */
export async function activePlace(
  reader: Reader,
  organisation: StoredOrganisation,
  parent: string,
): Promise<TreePlace | undefined> {
  const place = await placeAt(reader, organisation, parent)
  return place && requireActivePlace(place)
}

/** Returns the place that a body names as parent. Throws GROUP_PARENT_NOT_FOUND if the place is undefined. */
export function requireParentPlace(place: TreePlace | undefined, parent: string): TreePlace {
  if (place) return place
  const description = 'must be the id of a group of the organisation, or empty for the organisation itself'
  throw groupParentNotFound(`parent_group_id ${description}`, {
    resource: { type: 'taxonomy.groups', name: parent.slice(0, 80) },
    badRequest: [{ field: 'parent_group_id', description }],
  })
}

/** Returns the place of a node's parent. Throws PARENT_NOT_ACTIVE if the parent is not effectively ACTIVE. */
export async function activeParent(
  reader: Reader,
  organisation: StoredOrganisation,
  parent: string,
): Promise<TreePlace> {
  return requireActivePlace(await standingPlace(reader, organisation, parent))
}

/** Returns the place of a stored node's parent, which always exists while the tree is locked. */
export async function standingPlace(
  reader: Reader,
  organisation: StoredOrganisation,
  parent: string,
): Promise<TreePlace> {
  const place = await placeAt(reader, organisation, parent)
  if (place === undefined) throw new Error(`group ${parent} is missing in organisation ${organisation.id}`)
  return place
}

function requireActivePlace(place: TreePlace): TreePlace {
  const { effective } = place
  if (effective.state === active) return place
  const { id, type } = effective.source
  throw parentNotActive(
    `the parent is ${effective.state} through ${type} ${id}; make that node active first`,
    { effective_state: effective.state, scope_type: type, scope_id: id },
    notActive(effective.source),
  )
}

/**
 * Checks that a group with its descendants fits under a parent; `height` is the number of groups on the longest path
 * down, the group itself included. Throws GROUP_DEPTH_EXCEEDED or GROUP_CHILDREN_EXCEEDED.
 */
export async function requireFit(
  reader: Reader,
  organisation: string,
  parent: { readonly id: string; readonly depth: number },
  height: number,
): Promise<void> {
  const depth = parent.depth + height
  if (depth > maxDepth) {
    throw groupDepthExceeded(
      `groups would nest ${depth} deep; at most ${maxDepth} levels are allowed`,
      { depth: String(depth), max_depth: String(maxDepth) },
      limited(organisation, parent, `groups must nest at most ${maxDepth} deep`),
    )
  }
  const children = await reader.count(groups, { organisation_id: organisation, parent_group_id: parent.id })
  if (children < maxChildren) return
  throw groupChildrenExceeded(
    `the parent has ${children} groups; at most ${maxChildren} are allowed`,
    limited(organisation, parent, `a parent must have at most ${maxChildren} groups`),
  )
}

/** Returns the details of an error about a limit of the tree; the empty id stands for the organisation itself. */
const limited = (organisation: string, { id }: { readonly id: string }, description: string) => ({
  precondition: [{ type: 'TREE', subject: id === '' ? organisation : id, description }],
})

/** Throws GROUP_MOVE_CYCLE if a group would become its own ancestor. */
export function requireOutside(group: StoredGroup, parent: TreePlace): void {
  if (!parent.ancestors.some(({ id }) => id === group.id)) return
  throw groupMoveCycle(`group ${group.name} cannot move into itself or a group below it`, {
    resource: { type: 'taxonomy.groups', name: group.id },
    precondition: [{ type: 'TREE', subject: group.id, description: 'the parent must not lie below the group' }],
  })
}

/**
 * Counts the groups on the longest path down from a group, the group itself included. `below` contains the group and
 * all groups below it.
 */
export function heightOf(group: string, below: readonly StoredGroup[]): number {
  const children = Map.groupBy(below, ({ parent_group_id }) => parent_group_id)
  let height = 0
  for (let level = [group]; level.length > 0; height += 1) {
    level = level.flatMap(id => (children.get(id) ?? []).map(child => child.id))
  }
  return height
}
