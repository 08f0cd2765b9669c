import { platformWorkspaceId } from '../../../domain/ports/reserved.ts'
import type { Collection, Reader } from '../../../domain/ports/store.ts'
import { followings, newFollowing, type Following } from '../../../domain/taxonomy/cascade/following.ts'
import { archivals, groups, organisations, trees, workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import { works } from '../../../server/operations/work.ts'
import { shelves } from './depot.ts'
import { state } from './nodes-by-kind.ts'

const strictness = ['ACTIVE', 'SUSPENDED', 'ARCHIVED', 'DELETING'].map(state)

interface NodeRow {
  readonly id: string
  readonly state: string
  readonly above: string
}

/**
 * Returns the contradictions in a store whose work has ended, computed from the rows alone; empty for a sound store.
 */
export async function faultsOf(store: Reader): Promise<readonly string[]> {
  const nodes = await nodesOf(store)
  const faults: string[] = []
  const check = (holds: boolean, fault: string): void => void (holds || faults.push(fault))
  check((await store.count(works)) === 0, 'work is left')
  for (const { id, above } of nodes.values()) check(above === '' || nodes.has(above), `${id} hangs under nothing`)
  for (const { id } of await all(store, archivals)) check(nodes.has(id), `the archival of ${id} has no node`)
  const archived = [...nodes.values()].filter(node => node.state === state('ARCHIVED'))
  check((await store.count(archivals)) === archived.length, 'archivals do not fit the archived nodes')
  await checkCounts(store, check)
  await checkFollowings(store, nodes, check)
  return faults
}

type Check = (holds: boolean, fault: string) => void

async function nodesOf(store: Reader): Promise<ReadonlyMap<string, NodeRow>> {
  const below = [...(await all(store, groups)), ...(await all(store, workspaces))]
  const rows: NodeRow[] = [
    ...(await all(store, organisations)).map(({ id, state: own }) => ({ id, state: own, above: '' })),
    ...below.map(({ id, organisation_id, parent_group_id, state: own }) => {
      return { id, state: own, above: parent_group_id || organisation_id }
    }),
  ]
  return new Map(rows.map(row => [row.id, row]))
}

async function checkCounts(store: Reader, check: Check): Promise<void> {
  for (const { group_count, id, workspace_count } of await all(store, trees)) {
    const where = { organisation_id: id }
    check(group_count === (await store.count(groups, where)), `the groups of ${id} are not ${group_count}`)
    check(workspace_count === (await store.count(workspaces, where)), `the workspaces of ${id} are ${workspace_count}`)
  }
}

async function checkFollowings(store: Reader, nodes: ReadonlyMap<string, NodeRow>, check: Check): Promise<void> {
  const known = new Map<string, Following>((await all(store, followings)).map(row => [row.id, row]))
  for (const { id, organisation_id } of await all(store, workspaces)) {
    const effective = effectiveState(nodes, id)
    const { applied, work } = known.get(id) ?? newFollowing(id, organisation_id, '')
    check(work === '' && applied === effective, `${id} is ${effective} and followed to ${applied} by "${work}"`)
    known.delete(id)
    if (id === platformWorkspaceId) continue
    const shelf = (await store.get(shelves, id))?.value.state ?? 'none'
    check(state(shelf) === effective, `the shelf of ${id} is ${shelf}, not ${effective}`)
  }
  for (const id of known.keys()) check(false, `the following of ${id} has no workspace`)
  for (const { id } of await all(store, shelves)) check(nodes.has(id), `the shelf of ${id} has no workspace`)
}

function effectiveState(nodes: ReadonlyMap<string, NodeRow>, id: string): string {
  const node = nodes.get(id)
  if (node === undefined) return state('ACTIVE')
  const above = effectiveState(nodes, node.above)
  return strictness.indexOf(node.state) > strictness.indexOf(above) ? node.state : above
}

async function all<T>(store: Reader, collection: Collection<T>): Promise<readonly T[]> {
  const rows: T[] = []
  for await (const { value } of store.each(collection)) rows.push(value)
  return rows
}
