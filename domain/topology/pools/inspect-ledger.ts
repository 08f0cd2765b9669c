import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { zoneKind } from '../sites/kinds.ts'
import { allocationId, allocations, type StoredAllocation } from './allocations-store.ts'
import { dimensions } from './capacity.ts'
import { pinnedOf } from './pinned.ts'
import { poolKind } from './pool-kind.ts'
import { withUse } from './pool-use.ts'
import { poolCollection, type StoredPool } from './pools-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** The facts of a pool with which its allocations are compared. */
interface PoolPlace {
  /** The id of the zone; undefined if the zone does not exist, which `inspectReferences` reports. */
  readonly zone_id: string | undefined
  readonly nodeCount: number
}

/**
 * Yields the contradictions between the ledger and the resource pools: in the sums of each pool, and the place of each
 * allocation.
 */
export async function* inspectLedger(reader: Reader): Findings {
  const places = new Map<string, PoolPlace>()
  for await (const { id, value } of reader.each(poolCollection)) {
    places.set(id, { zone_id: await zoneKind.idNamed(reader, value.zone), nodeCount: value.numa_nodes.length })
    for (const message of sumFaults(value, await sumOf(reader, value)))
      yield { resourceType: poolKind.type, id, message }
  }
  for await (const { id, value } of reader.each(allocations)) {
    const message = allocationFault(value, places.get(value.pool_id))
    if (message !== undefined) yield { resourceType: 'topology.allocations', id, message }
  }
}

/** Returns a pool with the use that is summed up from its allocations in the ledger. */
async function sumOf(reader: Reader, pool: StoredPool): Promise<StoredPool> {
  const unused = { vcpus: 0, memory_mib: 0, disk_gib: 0 }
  let sum: StoredPool = { ...pool, allocated: unused, allocation_count: 0, pinned: '' }
  for await (const { value } of reader.each(allocations, { pool_id: pool.id })) sum = withUse(sum, undefined, value)
  return sum
}

function sumFaults(pool: StoredPool, sum: StoredPool): readonly string[] {
  const [pinned, expected] = [pinnedOf(pool), pinnedOf(sum)]
  return [
    ...dimensions
      .filter(dimension => pool.allocated[dimension] !== sum.allocated[dimension])
      .map(each => `has ${pool.allocated[each]} ${each} allocated; the ledger has ${sum.allocated[each]}`),
    ...(pool.allocation_count === sum.allocation_count
      ? []
      : [`counts ${pool.allocation_count} allocations; the ledger has ${sum.allocation_count}`]),
    ...expected.flatMap((node, i) =>
      (['vcpus', 'memory_mib'] as const)
        .filter(dimension => pinned[i]?.[dimension] !== node[dimension])
        .map(each => `has ${pinned[i]?.[each]} ${each} pinned to NUMA node ${i}; the ledger has ${node[each]}`),
    ),
  ]
}

function allocationFault(allocation: StoredAllocation, pool: PoolPlace | undefined): string | undefined {
  const { consumer_id, consumer_type, id, nodes, pool_id, zone_id } = allocation
  const expected = allocationId({ id: consumer_id, type: consumer_type })
  if (id !== expected) return `is of the consumer ${expected}`
  if (!pool) return `is in the resource pool ${pool_id}, which does not exist`
  if (pool.zone_id !== zone_id) return `names the zone ${zone_id}; its resource pool is in ${pool.zone_id}`
  const outside = nodes.find(({ node }) => node < 0 || node >= pool.nodeCount)
  return outside && `is pinned to NUMA node ${outside.node}; its resource pool has ${pool.nodeCount} nodes`
}
