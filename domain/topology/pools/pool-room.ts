import {
  numaLayoutInvalid,
  resourcePoolCapacityInUse,
  resourcePoolExceedsTarget,
  resourcePoolLocationMismatch,
} from '../../../output/topology/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'
import { targetCollection, type StoredTarget } from '../sites/targets-store.ts'
import { zoneCollection } from '../sites/zones-store.ts'
import { firstShort, minus, type Capacity } from './capacity.ts'
import { pinnedOf } from './pinned.ts'
import type { StoredPool } from './pools-store.ts'
import { firstMisfit, firstShortNode, sumOfPools } from './target-pools.ts'

const type = 'topology.resourcePools'

/** Throws RESOURCE_POOL_LOCATION_MISMATCH if the target and the zone of a pool lie in different locations. */
export async function requireSameLocation(tx: Transaction, pool: StoredPool): Promise<void> {
  const zone = await tx.find(zoneCollection, { name: pool.zone })
  const target = await targetOf(tx, pool)
  if (zone === undefined || target === undefined || zone.value.location === target.location) return
  const message = `target ${target.name} stands in ${target.location}, zone ${pool.zone} in ${zone.value.location}`
  throw faultAt(resourcePoolLocationMismatch, 'deployment_target', message)
}

/**
 * Throws NUMA_LAYOUT_INVALID unless the nodes of a pool fit into the room that other pools leave in the nodes of its
 * target. A target without declared NUMA nodes limits no pool.
 */
export async function requireNodes(tx: Transaction, pool: StoredPool): Promise<void> {
  const target = await targetOf(tx, pool)
  if (pool.numa_nodes.length === 0 || target === undefined || target.numa_nodes.length === 0) return
  const others = await sumOfPools(tx, target.name, pool.id)
  const left = target.numa_nodes.map((node, i) => ({
    vcpus: node.vcpus - (others.nodes[i]?.vcpus ?? 0),
    memory_mib: node.memory_mib - (others.nodes[i]?.memory_mib ?? 0),
  }))
  const short = firstMisfit(pool.numa_nodes, left)
  if (short === undefined) return
  const { available, dimension, node, requested } = short
  const there = left[node] ? `other pools leave ${available}` : 'the target has no such node'
  const message = `NUMA node ${node} has ${requested} ${dimension}, but on target ${target.name} ${there}`
  throw faultAt(numaLayoutInvalid, `numa_nodes[${node}]`, message)
}

/**
 * Throws RESOURCE_POOL_EXCEEDS_TARGET unless the capacity of a pool fits into the capacity that other pools leave of
 * its target.
 */
export async function requireRoomOnTarget(tx: Transaction, pool: StoredPool): Promise<void> {
  const target = await targetOf(tx, pool)
  if (target === undefined) return
  const left = minus(target.capacity, (await sumOfPools(tx, target.name, pool.id)).capacity)
  const dimension = firstShort(pool.capacity, left)
  if (dimension === undefined) return
  const [requested, available] = [String(pool.capacity[dimension]), String(left[dimension])]
  const description = `${dimension}: ${requested} are requested, ${available} are left on the deployment target`
  throw resourcePoolExceedsTarget(
    `the capacity of ${requested} ${dimension} is more than the ${available} left on target ${target.name}`,
    { dimension, requested, available },
    { resource: { type, name: pool.name }, precondition: [{ type: 'CAPACITY', subject: target.name, description }] },
  )
}

/**
 * Throws RESOURCE_POOL_CAPACITY_IN_USE unless a changed pool has at least the allocated amount in each dimension, and
 * the pinned use in each NUMA node. `before` is the pool before the change, with its use.
 */
export function requireUseFits(
  { allocatable, numa_nodes }: { readonly allocatable: Capacity } & Pick<StoredPool, 'numa_nodes'>,
  before: StoredPool,
): void {
  const { allocated, id, name } = before
  const refuse = (subject: string, left: number, dimension: string, used: number): never => {
    const description = `${subject} would have ${left} ${dimension}; ${used} are in use`
    throw resourcePoolCapacityInUse(`resource pool ${name} is in use: ${description}`, {
      resource: { type, name: id },
      precondition: [{ type: 'CAPACITY', subject: id, description }],
    })
  }
  const dimension = firstShort(allocated, allocatable)
  if (dimension) refuse('it', allocatable[dimension], dimension, allocated[dimension])
  const short = firstShortNode(pinnedOf(before), numa_nodes)
  if (short) refuse(`NUMA node ${short.node}`, short.available, short.dimension, short.requested)
}

const targetOf = async (tx: Transaction, pool: StoredPool): Promise<StoredTarget | undefined> =>
  (await tx.find(targetCollection, { name: pool.deployment_target }))?.value
