import type { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { shared, type Intent, type Journal, type Sets } from './journal.ts'

/** The members of an operation that the check compares with a call. */
export type KeptOperation = Pick<TaxonomyOperation, 'id' | 'resource_id' | 'resource_type'> & {
  readonly operation_type: string
  readonly status: string
}

/** The state of the store after the load, read through a server. */
export interface Kept {
  /** The area that was under load, for example `taxonomy`. */
  readonly area: string
  /** The operations since the start of the load. */
  readonly operations: readonly KeptOperation[]
  /**
   * The name and the state of each resource, in the terms of the journal. A name occurs twice if two resources have
   * this name.
   */
  readonly things: readonly (readonly [string, Sets])[]
}

const bare = (name: string): string => name.slice(name.lastIndexOf('_') + 1)

/** Returns an operation type without its prefix: `ADD_VERSION` of `VAULT_OPERATION_TYPE_ADD_VERSION`. */
const verbOf = (type: string): string => type.replace(/^.*_OPERATION_TYPE_/, '')

/**
 * Reads all groups and workspaces of an organisation, all overrides of `compute.vcpus`, and all operations of the
 * platform except the operations in `before`.
 */
export async function readKept(
  client: TaxonomyClient,
  organisation: string,
  before: ReadonlySet<string>,
): Promise<Kept> {
  const page_size = 100
  const things: (readonly [string, Sets])[] = []
  for await (const { name, parent_group_id: parent = '', state } of client.iterateGroups({ organisation, page_size })) {
    things.push([name, { parent, state: bare(state) }])
  }
  for await (const row of client.iterateWorkspaces({ organisation, page_size })) {
    const { display_name = '', name, parent_group_id: parent = '', state } = row
    things.push([name, { parent, state: bare(state), display_name }])
  }
  const quota = 'compute.vcpus'
  for await (const { limit, scope_id } of client.iterateQuotaOverrides({ quota, page_size })) {
    things.push([`${scope_id} ${quota}`, { limit: String(limit) }])
  }
  const operations: TaxonomyOperation[] = []
  for await (const operation of client.iterateOperations({ page_size, order_by: 'insert_time' })) {
    if (!before.has(operation.id)) operations.push(operation)
  }
  return { area: 'taxonomy', operations, things }
}

/**
 * Returns the faults of a store after a load: refused calls, acknowledged changes that are missing, unknown rows, and
 * repeated changes. Returns an empty list for a sound store.
 */
export function reckon(journal: Journal, kept: Kept): readonly string[] {
  return [...refusals(journal), ...operationFaults(journal, kept), ...thingFaults(journal, kept), ...sharedFaults(kept)]
}

/**
 * Returns a line for each refused call. A call on the shared group may be refused because of the state of the group,
 * which another actor may have changed before.
 */
function refusals({ intents, outcomes }: Journal): string[] {
  return intents.flatMap(({ intent, operationType, thing }) => {
    const outcome = outcomes.get(intent)
    if (outcome === undefined || !('refused' in outcome)) return []
    if (thing === shared && outcome.refused === 'GROUP_STATE_INVALID') return []
    return [`${intent}, ${operationType} of ${thing}, was refused: ${outcome.refused}`]
  })
}

const kindIn =
  (area: string) =>
  ({ operationType, resourceType }: Intent): string =>
    `${operationType} ${area}.${resourceType}`

function operationFaults(journal: Journal, { area, operations }: Kept): string[] {
  const kindOf = kindIn(area)
  const faults: string[] = []
  const left = new Map(operations.map(operation => [operation.id, operation]))
  if (left.size !== operations.length) faults.push('an operation is listed twice')
  for (const operation of operations) {
    if (bare(operation.status) !== 'DONE') faults.push(`operation ${operation.id} is ${operation.status}`)
  }
  for (const intent of journal.intents) {
    const outcome = journal.outcomes.get(intent.intent)
    if (outcome === undefined || 'refused' in outcome || intent.isWithoutOperation === true) continue
    const { operation_type = '', resource_id, resource_type } = left.get(outcome.operation) ?? {}
    const isFit = `${verbOf(operation_type)} ${resource_type}` === kindOf(intent) && resource_id === outcome.resource
    if (!isFit) faults.push(`${intent.intent} has no operation of its own: ${outcome.operation}`)
    left.delete(outcome.operation)
  }
  const open = journal
    .unanswered()
    .filter(({ isWithoutOperation }) => isWithoutOperation !== true)
    .map(kindOf)
  for (const { id, operation_type, resource_id, resource_type } of left.values()) {
    const kind = `${verbOf(operation_type)} ${resource_type}`
    const at = open.indexOf(kind)
    if (at === -1) faults.push(`operation ${id}, ${kind} of ${resource_id}, answers no call`)
    else open.splice(at, 1)
  }
  return faults
}

/**
 * Returns a line for each resource whose state is neither the state after the last acknowledged call nor the state
 * after a later unanswered call, and for resources with the same name or without a call that creates the resource.
 */
function thingFaults(journal: Journal, { things }: Kept): string[] {
  const found = new Map(things)
  const faults = found.size === things.length ? [] : ['two things have one name']
  const expected = new Map<string, Sets[]>()
  for (const { intent, sets, thing } of journal.intents) {
    if (thing === shared) continue
    const outcome = journal.outcomes.get(intent)
    if (outcome === undefined) expected.set(thing, [...(expected.get(thing) ?? [null]), sets])
    else if (!('refused' in outcome)) expected.set(thing, [sets])
  }
  for (const [thing, choices] of expected) {
    const is = textOf(found.get(thing) ?? null)
    const texts = choices.map(textOf)
    if (!texts.includes(is)) faults.push(`${thing} is ${is} and not ${texts.join(' or ')}`)
    found.delete(thing)
  }
  for (const name of found.keys()) if (!name.startsWith(shared)) faults.push(`nobody has made ${name}`)
  return faults
}

const textOf = (sets: Sets): string =>
  sets === null ? 'gone' : JSON.stringify(Object.entries(sets).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Returns a line if the state of the shared group contradicts the numbers of its suspensions and resumptions. */
function sharedFaults({ operations, things }: Kept): string[] {
  const state = things.find(([name]) => name === shared)?.[1]?.['state']
  const count = (type: string): number =>
    operations.filter(
      ({ operation_type, resource_type }) => resource_type === 'taxonomy.groups' && bare(operation_type) === type,
    ).length
  const suspensions = count('SUSPEND') - count('RESUME')
  return suspensions === (state === 'SUSPENDED' ? 1 : 0) ? [] : [`suspended ${suspensions} times more, and is ${state}`]
}
