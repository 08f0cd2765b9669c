import { Conflict, type Transaction } from '../../ports/store.ts'
import type { Allocated, CapacityNeed, Consumer, Shortage, Unavailable } from '../../ports/topology.ts'
import { shareZone } from '../sites/functions.ts'
import { allocationId, allocations, pinnedNodes, type StoredAllocation } from './allocations-store.ts'
import { fits } from './capacity.ts'
import { place } from './placement.ts'
import { withUse } from './pool-use.ts'
import { poolCollection } from './pools-store.ts'
import type { ZonePools } from './zone-pools.ts'

/**
 * Allocates capacity in a pool of a zone, and returns the allocation or the reason against it (`Topology.allocate`).
 */
export async function allocate(
  pools: ZonePools,
  tx: Transaction,
  zoneName: string,
  need: CapacityNeed,
  consumer: Consumer,
): Promise<Allocated | Shortage | Unavailable> {
  const zone = await shareZone(tx, zoneName)
  if (!zone?.isAvailable) return { kind: 'unavailable' }
  const locked = await pools.lock(tx, zone)
  await requireUnallocated(tx, consumer)
  const placement = place(await locked.rooms(), need)
  if (placement.kind !== 'placed') return placement
  const { nodes, pool: room } = placement
  const pool = await tx.lock(poolCollection, room.id)
  if (!pool || !fits(need, pool.value.available)) {
    locked.forget()
    throw new Conflict(`the resource pool ${room.name} was changed beside the ledger of zone ${zone.name}`)
  }
  const allocation = allocationOf(consumer, need, {
    zone_id: zone.id,
    pool_id: pool.id,
    nodes: pinnedNodes(need, nodes),
  })
  await tx.insert(allocations, allocation)
  const next = withUse(pool.value, undefined, allocation)
  await tx.update(poolCollection, pool.id, next, pool.version)
  locked.changed(next)
  return { kind: 'allocated', resource_pool: pool.value.name, nodes }
}

async function requireUnallocated(tx: Transaction, consumer: Consumer): Promise<void> {
  const id = allocationId(consumer)
  if (await tx.get(allocations, id)) throw new Error(`${id} holds capacity already; resize its allocation`)
}

const allocationOf = (
  { id: consumer_id, type: consumer_type, workspace_id }: Consumer,
  { disk_gib, memory_mib, vcpus }: CapacityNeed,
  place: Pick<StoredAllocation, 'zone_id' | 'pool_id' | 'nodes'>,
): StoredAllocation => ({
  id: allocationId({ id: consumer_id, type: consumer_type }),
  consumer_type,
  consumer_id,
  ...(workspace_id !== undefined && { workspace_id }),
  ...place,
  vcpus,
  memory_mib,
  disk_gib,
})
