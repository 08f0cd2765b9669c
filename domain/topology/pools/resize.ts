import { Conflict, type Stored, type Transaction } from '../../ports/store.ts'
import type { Allocated, CapacityNeed, Consumer, Shortage, Unallocated, Unavailable } from '../../ports/topology.ts'
import { canonical } from '../../../runtime/validation.ts'
import { shareZoneById } from '../sites/functions.ts'
import { allocationId, allocations, pinnedNodes, type PinnedNode, type StoredAllocation } from './allocations-store.ts'
import { dimensions, minus, type Capacity } from './capacity.ts'
import { assignNodes } from './numa.ts'
import { roomOf, withUse } from './pool-use.ts'
import { poolCollection, type StoredPool } from './pools-store.ts'
import { readyTargets, type LockedZone, type ZonePools } from './zone-pools.ts'

/** A locked allocation with its locked pool and the locked ledger row of its zone. */
interface Held {
  readonly allocation: Stored<StoredAllocation>
  readonly pool: Stored<StoredPool>
  readonly ledger: LockedZone
  /** Whether the zone is AVAILABLE. */
  readonly isOpen: boolean
}

/** Changes the capacity of a consumer, and returns the allocation or the reason against it (`Topology.resize`). */
export async function resize(
  pools: ZonePools,
  tx: Transaction,
  consumer: Consumer,
  need: CapacityNeed,
): Promise<Allocated | Shortage | Unallocated> {
  const held = await lockAllocation(pools, tx, consumer)
  return held ? settle(tx, held, need) : { kind: 'unallocated' }
}

/**
 * Changes the capacity of a consumer that begins to run again, and returns the allocation or the reason against it
 * (`Topology.reallocate`).
 */
export async function reallocate(
  pools: ZonePools,
  tx: Transaction,
  consumer: Consumer,
  need: CapacityNeed,
): Promise<Allocated | Shortage | Unavailable | Unallocated> {
  const held = await lockAllocation(pools, tx, consumer)
  if (!held) return { kind: 'unallocated' }
  return held.isOpen && (await isAvailable(tx, held.pool.value)) ? settle(tx, held, need) : { kind: 'unavailable' }
}

/** Gives back the capacity of a consumer (`Topology.release`). */
export async function release(pools: ZonePools, tx: Transaction, consumer: Consumer): Promise<void> {
  const held = await lockAllocation(pools, tx, consumer)
  if (!held) return
  const { allocation } = held
  await tx.delete(allocations, allocation.id, allocation.version)
  await writeUse(tx, held, undefined)
}

/**
 * Shares the zone of an allocation, and locks the ledger row of the zone, the pool and the allocation, in this order.
 * Returns undefined if the consumer has no allocation.
 */
async function lockAllocation(pools: ZonePools, tx: Transaction, consumer: Consumer): Promise<Held | undefined> {
  const id = allocationId(consumer)
  // An allocation never changes its pool and its zone, so both are read before the locks.
  const seen = (await tx.get(allocations, id))?.value
  const zone = seen && (await shareZoneById(tx, seen.zone_id))
  if (!zone) return undefined
  const ledger = await pools.lock(tx, zone)
  const pool = await tx.lock(poolCollection, seen.pool_id)
  const allocation = await tx.lock(allocations, id)
  if (allocation && allocation.value.pool_id !== seen.pool_id)
    throw new Conflict(`${id} was released and allocated in another pool meanwhile`)
  return pool && allocation && { allocation, pool, ledger, isOpen: zone.isAvailable }
}

const isAvailable = async (tx: Transaction, { deployment_target, schedulable }: StoredPool): Promise<boolean> =>
  schedulable && (await readyTargets(tx, [deployment_target])).has(deployment_target)

/**
 * Changes an allocation to a need, unless the need is equal or does not fit. Returns the allocation or the shortage.
 */
async function settle(tx: Transaction, held: Held, need: CapacityNeed): Promise<Allocated | Shortage> {
  const { allocation, pool } = held
  const { value: before } = allocation
  const short = shortageOf(pool.value, minus(need, before))
  if (short) return short
  const nodes = nodesOf(pool.value, before, need)
  if (!nodes) return { kind: 'numa' }
  const { disk_gib, memory_mib, vcpus } = need
  const after: StoredAllocation = { ...before, vcpus, memory_mib, disk_gib, nodes }
  if (canonical(after) !== canonical(before)) {
    await tx.update(allocations, allocation.id, after, allocation.version)
    await writeUse(tx, held, after)
  }
  return { kind: 'allocated', resource_pool: pool.value.name, nodes: nodes.map(({ node }) => node) }
}

/**
 * Returns a shortage for the first dimension whose growth exceeds the amount that the pool has left; undefined if all
 * fit. A dimension that does not grow needs no room.
 */
function shortageOf({ available }: StoredPool, growth: Capacity): Shortage | undefined {
  const dimension = dimensions.find(each => growth[each] > Math.max(0, available[each]))
  if (!dimension) return undefined
  return { kind: 'capacity', dimension, requested: growth[dimension], available: available[dimension] }
}

/**
 * Returns the pinned nodes for a need: the present nodes if the guest nodes are equal, otherwise a new assignment of
 * all guest nodes; undefined if these do not fit.
 */
function nodesOf(pool: StoredPool, before: StoredAllocation, need: CapacityNeed): readonly PinnedNode[] | undefined {
  const { numa = [] } = need
  const isSame =
    numa.length === before.nodes.length &&
    numa.every(({ memory_mib, vcpus }, i) => {
      const held = before.nodes[i]
      return held?.vcpus === vcpus && held.memory_mib === memory_mib
    })
  if (isSame) return before.nodes
  // The room that the guest itself has pinned is free for the new assignment.
  const { nodes: rooms } = roomOf(withUse(pool, before, undefined), true)
  const nodes = assignNodes(rooms, numa)
  return nodes && pinnedNodes(need, nodes)
}

async function writeUse(tx: Transaction, held: Held, after: StoredAllocation | undefined): Promise<void> {
  const { allocation, ledger, pool } = held
  const next = withUse(pool.value, allocation.value, after)
  await tx.update(poolCollection, pool.id, next, pool.version)
  ledger.changed(next)
}
