import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { groupKind, organisationKind } from '../tree/kinds.ts'
import type { StoredGroup, StoredOrganisation } from '../tree/nodes.ts'
import { maxChildren, maxDepth } from '../tree/parents.ts'
import { placesOf } from '../tree/places.ts'
import { batches } from './batches.ts'
import { finding } from './finding.ts'
import { inspectState, statesBefore } from './states.ts'

const type = groupKind.resourceType

/** Checks all groups of one organisation: parents, cycles, depths, numbers of children, names and states. */
export async function* inspectGroups(
  reader: Reader,
  organisation: StoredOrganisation,
  groups: readonly StoredGroup[],
): AsyncGenerator<Finding, void, undefined> {
  const byId = new Map(groups.map(group => [group.id, group]))
  yield* inspectParents(organisation, byId)
  yield* inspectCycles(byId)
  yield* inspectDepths(organisation, groups)
  for (const [parent, children] of Map.groupBy(groups, group => group.parent_group_id)) {
    yield* inspectChildren(organisation, parent, children)
  }
  for await (const batch of batches(toAsync(groups))) {
    const before = await statesBefore(
      reader,
      batch.map(({ id }) => id),
    )
    for (const group of batch) yield* inspectState(groupKind, group, before)
  }
}

function* inspectParents({ id: organisation }: StoredOrganisation, byId: ReadonlyMap<string, StoredGroup>) {
  for (const { id, parent_group_id: parent } of byId.values()) {
    if (parent !== '' && !byId.has(parent)) yield finding(type, id, missingParent(parent, organisation))
  }
}

/** Returns the message for a node whose parent is not a group of its organisation. */
export const missingParent = (parent: string, organisation: string): string =>
  `has the parent group ${parent}, which organisation ${organisation} does not have; parent_group_id must be the id of one of its groups, or empty for the organisation itself`

/** Reports every cycle once, at one of its groups. */
function* inspectCycles(byId: ReadonlyMap<string, StoredGroup>) {
  const seen = new Set<string>()
  for (const start of byId.values()) {
    const way = new Set<string>()
    let group: StoredGroup | undefined = start
    while (group !== undefined && !seen.has(group.id)) {
      seen.add(group.id)
      way.add(group.id)
      group = byId.get(group.parent_group_id)
    }
    if (group === undefined || !way.has(group.id)) continue
    const circle = [...way].slice([...way].indexOf(group.id))
    const shown = [...circle.slice(0, maxDepth), group.id].join(' under ')
    yield finding(type, group.id, `is its own ancestor: ${shown}; one of these groups must have another parent`)
  }
}

function* inspectDepths(organisation: StoredOrganisation, groups: readonly StoredGroup[]) {
  for (const [parent, { depth }] of placesOf(organisation, groups)) {
    if (depth > maxDepth) yield finding(type, parent, `is ${depth} levels deep; at most ${maxDepth} are allowed`)
  }
}

/** Checks the number and the names of the child groups of one parent; an empty id means the organisation. */
function* inspectChildren({ id }: StoredOrganisation, parent: string, children: readonly StoredGroup[]) {
  if (children.length > maxChildren) {
    const [resourceType, node] = parent === '' ? [organisationKind.resourceType, id] : [type, parent]
    yield finding(resourceType, node, `has ${children.length} child groups; at most ${maxChildren} are allowed`)
  }
  const names = new Map<string, string>()
  for (const group of children) {
    const other = names.get(group.name)
    if (other === undefined) names.set(group.name, group.id)
    else {
      const message = `has the name "${group.name}" of group ${other} under the same parent; names must be unique there`
      yield finding(type, group.id, message)
    }
  }
}

async function* toAsync<T>(rows: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* rows
}
