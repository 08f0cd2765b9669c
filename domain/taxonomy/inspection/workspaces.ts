import type { Finding, Inspection } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { followingsOf } from '../cascade/following.ts'
import { workspaceKind } from '../tree/kinds.ts'
import { workspaces, type StoredGroup, type StoredWorkspace } from '../tree/nodes.ts'
import type { Places } from '../tree/places.ts'
import { quotaUsages, usageId, type QuotaUsage } from '../quotas/usage.ts'
import { batches } from './batches.ts'
import { finding } from './finding.ts'
import { Followed } from './followings.ts'
import { missingParent } from './groups.ts'
import { inspectState, statesBefore } from './states.ts'

/** An organisation with all its groups and places. */
interface Tree {
  /** The id of the organisation. */
  readonly id: string
  readonly groups: readonly StoredGroup[]
  readonly places: Places
}

/** The number of workspaces of an organisation, and the sums of their usages. */
interface Counted {
  readonly workspaces: number
  /** The sums, keyed by quota. */
  readonly usages: ReadonlyMap<string, number>
}

const type = workspaceKind.resourceType

/**
 * Checks the workspaces of an organisation: parents, names, states, usages, and whether the areas have applied the
 * states.
 */
export async function* inspectWorkspaces(
  inspection: Inspection,
  { id: organisation, groups, places }: Tree,
): AsyncGenerator<Finding, Counted, undefined> {
  const { reader } = inspection
  const known = new Set(groups.map(({ id }) => id))
  const followed = new Followed(inspection, places)
  const usages = new Map<string, number>()
  let count = 0
  for await (const rows of batches(reader.each(workspaces, { organisation_id: organisation }))) {
    const batch = rows.map(({ value }) => value)
    const ids = batch.map(({ id }) => id)
    const before = await statesBefore(reader, ids)
    const followings = await followingsOf(reader, ids)
    for (const workspace of batch) {
      const { id, parent_group_id: parent } = workspace
      if (parent !== '' && !known.has(parent)) yield finding(type, id, missingParent(parent, organisation))
      yield* inspectName(reader, workspace)
      yield* inspectState(workspaceKind, workspace, before)
      yield* followed.inspect(workspace, followings.get(id))
    }
    yield* inspectUsages(reader, batch, usages)
    count += batch.length
  }
  return { workspaces: count, usages }
}

async function* inspectName(reader: Reader, { id, name, organisation_id }: StoredWorkspace) {
  const first = await reader.find(workspaces, { organisation_id, name })
  if (first === undefined || first.id === id) return
  const message = `has the name "${name}" of workspace ${first.id} of the same organisation; names must be unique there`
  yield finding(type, id, message)
}

/** Checks the usages of these workspaces, and adds them to the sums. */
async function* inspectUsages(reader: Reader, batch: readonly StoredWorkspace[], sums: Map<string, number>) {
  const owners = new Map(batch.map(workspace => [workspace.id, workspace]))
  for await (const { value } of reader.each(quotaUsages, { workspace_id: [...owners.keys()] })) {
    const owner = owners.get(value.workspace_id)
    if (owner) yield* inspectUsage(value, owner)
    sums.set(value.quota_id, (sums.get(value.quota_id) ?? 0) + value.amount)
  }
}

function* inspectUsage(usage: QuotaUsage, owner: StoredWorkspace) {
  const { amount, id, quota_id } = usage
  const facts = [
    { name: 'id', says: id, must: usageId(quota_id, owner.id) },
    { name: 'organisation_id', says: usage.organisation_id, must: owner.organisation_id },
    { name: 'parent_group_id', says: usage.parent_group_id, must: owner.parent_group_id },
  ]
  for (const { must, name, says } of facts) {
    if (says === must) continue
    const message = `has the ${name} "${says}"; by workspace ${owner.id} it must be "${must}"`
    yield finding('taxonomy.quotaUsages', id, message)
  }
  if (!Number.isSafeInteger(amount) || amount < 0) {
    yield finding('taxonomy.quotaUsages', id, `holds ${amount}; it must be a whole number from 0`)
  }
}
