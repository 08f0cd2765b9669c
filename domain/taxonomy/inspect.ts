import type { Finding, Inspection } from '../ports/inspection.ts'
import type { Reader } from '../ports/store.ts'
import { inspectFollowings } from './inspection/followings.ts'
import { inspectGroups } from './inspection/groups.ts'
import { finding } from './inspection/finding.ts'
import { inspectOverrides } from './inspection/overrides.ts'
import { inspectBuiltInQuotas } from './inspection/quotas.ts'
import { inspectState, statesBefore } from './inspection/states.ts'
import { inspectStrays } from './inspection/strays.ts'
import { inspectTotals } from './inspection/totals.ts'
import { inspectWorkspaces } from './inspection/workspaces.ts'
import { organisationKind } from './tree/kinds.ts'
import { organisations, trees, type StoredOrganisation } from './tree/nodes.ts'
import { groupsBelow, placesOf } from './tree/places.ts'

/**
 * Yields the contradictions in the rows of the area (`Inspect`): in the tree, its states, counts and limits, the
 * quotas, the usages and their sums, and the followings. The memory of the check is bounded by the groups of one
 * organisation.
 */
export async function* inspectTaxonomy(inspection: Inspection): AsyncGenerator<Finding, void, undefined> {
  const { reader } = inspection
  for await (const { value } of reader.each(organisations)) yield* inspectOrganisation(inspection, value)
  yield* inspectBuiltInQuotas(reader)
  yield* inspectStrays(reader)
  yield* inspectOverrides(reader)
  yield* inspectFollowings(inspection)
}

/** Checks one organisation, without the rows that belong to no organisation. */
export async function* inspectOrganisation(
  inspection: Inspection,
  organisation: StoredOrganisation,
): AsyncGenerator<Finding, void, undefined> {
  const { reader } = inspection
  const { id } = organisation
  yield* inspectRoot(reader, organisation)
  const found = await groupsBelow(reader, id, id)
  yield* inspectGroups(reader, organisation, found)
  const counted = yield* inspectWorkspaces(inspection, { id, groups: found, places: placesOf(organisation, found) })
  yield* inspectCounts(reader, id, { groups: found.length, workspaces: counted.workspaces })
  yield* inspectTotals(reader, id, counted.usages)
}

/** Checks the row of an organisation. */
async function* inspectRoot(reader: Reader, organisation: StoredOrganisation) {
  const { effective_state, effective_state_source: source, id, name, state } = organisation
  const type = organisationKind.resourceType
  const first = await reader.find(organisations, { name })
  if (first !== undefined && first.id !== id) {
    yield finding(type, id, `has the name "${name}" of organisation ${first.id}; names must be unique`)
  }
  if (effective_state !== state || source.scope_id !== id) {
    const told = `has the effective state ${effective_state} through ${source.scope_id}`
    yield finding(
      type,
      id,
      `${told}; an organisation has no parent, so the effective state must be ${state} through itself`,
    )
  }
  yield* inspectState(organisationKind, organisation, await statesBefore(reader, [id]))
}

/** Checks the row of an organisation's tree, which changes of the tree lock, and its counts. */
async function* inspectCounts(reader: Reader, id: string, counted: { groups: number; workspaces: number }) {
  const tree = (await reader.get(trees, id))?.value
  if (tree === undefined) {
    yield finding('taxonomy.trees', id, `is missing; every organisation has a row that its changes lock`)
    return
  }
  const counts = [
    { kind: 'groups', says: tree.group_count, has: counted.groups },
    { kind: 'workspaces', says: tree.workspace_count, has: counted.workspaces },
  ]
  for (const { has, kind, says } of counts) {
    if (says !== has) yield finding('taxonomy.trees', id, `counts ${says} ${kind}; the organisation has ${has}`)
  }
}
