import type { Reader } from '../../ports/store.ts'
import { plus, type Capacity } from './capacity.ts'
import type { NodeRoom } from './numa.ts'
import { poolCollection } from './pools-store.ts'

/** The sums of the capacities and NUMA nodes of resource pools of a deployment target. */
export interface PoolSum {
  readonly capacity: Capacity
  /** The sum for each NUMA node, from node 0, for as many nodes as the pool with the most nodes has. */
  readonly nodes: readonly NodeRoom[]
}

/**
 * Returns the sums over the pools of a target, except the pool `without`. A caller that relies on the sums until its
 * commit has locked the target.
 */
export async function sumOfPools(reader: Reader, target: string, without?: string): Promise<PoolSum> {
  let capacity: Capacity = { vcpus: 0, memory_mib: 0, disk_gib: 0 }
  const nodes: NodeRoom[] = []
  for await (const { id, value } of reader.each(poolCollection, { deployment_target: target })) {
    if (id === without) continue
    capacity = plus(capacity, value.capacity)
    for (const [i, node] of value.numa_nodes.entries()) nodes[i] = nodePlus(nodes[i], node)
  }
  return { capacity, nodes }
}

const nodePlus = ({ memory_mib, vcpus }: NodeRoom = { vcpus: 0, memory_mib: 0 }, other: NodeRoom): NodeRoom => ({
  vcpus: vcpus + other.vcpus,
  memory_mib: memory_mib + other.memory_mib,
})

/** A NUMA node that needs more of a dimension than is available. */
export interface NodeShortage {
  readonly node: number
  readonly dimension: 'vcpus' | 'memory_mib'
  readonly requested: number
  readonly available: number
}

/**
 * Returns the first shortage: a node of `needs` needs more than the node of `rooms` at the same index has. A node that
 * is missing in `rooms` has nothing. Returns undefined if no node needs too much.
 */
export function firstShortNode(needs: readonly NodeRoom[], rooms: readonly NodeRoom[]): NodeShortage | undefined {
  for (const [node, need] of needs.entries()) {
    for (const dimension of ['vcpus', 'memory_mib'] as const) {
      const [requested, available] = [need[dimension], rooms[node]?.[dimension] ?? 0]
      if (requested > available) return { node, dimension, requested, available }
    }
  }
  return undefined
}

/**
 * Returns the first shortage as `firstShortNode` does. If no node needs too much, but `needs` has more nodes than
 * `rooms`, returns a shortage of amount 0 at the first node that is missing in `rooms`.
 */
export const firstMisfit = (needs: readonly NodeRoom[], rooms: readonly NodeRoom[]): NodeShortage | undefined =>
  firstShortNode(needs, rooms) ??
  (needs.length > rooms.length ? { node: rooms.length, dimension: 'vcpus', requested: 0, available: 0 } : undefined)
