import type { Reader } from '../../ports/store.ts'
import { plus, type Capacity } from './capacity.ts'
import type { NodeRoom } from './numa.ts'
import { poolCollection } from './pools-store.ts'

/** What resource pools of a deployment target have together. */
export interface PoolSum {
  readonly capacity: Capacity
  /** By the number of the NUMA node, as many as the pool with the most nodes has. */
  readonly nodes: readonly NodeRoom[]
}

/**
 * Sums up the pools of a target, except the pool `without`. The caller has locked the target, so that the sums stay
 * true.
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

/** A NUMA node that needs more than there is. */
export interface NodeShortage {
  readonly node: number
  readonly dimension: 'vcpus' | 'memory_mib'
  readonly requested: number
  readonly available: number
}

/** Returns the first node that needs more than the node of the same number has; an absent node has nothing. */
export function firstShortNode(needs: readonly NodeRoom[], rooms: readonly NodeRoom[]): NodeShortage | undefined {
  for (const [node, need] of needs.entries()) {
    for (const dimension of ['vcpus', 'memory_mib'] as const) {
      const [requested, available] = [need[dimension], rooms[node]?.[dimension] ?? 0]
      if (requested > available) return { node, dimension, requested, available }
    }
  }
  return undefined
}

/** Returns the first node that needs more as `firstShortNode`, or that has no node of the same number. */
export const firstMisfit = (needs: readonly NodeRoom[], rooms: readonly NodeRoom[]): NodeShortage | undefined =>
  firstShortNode(needs, rooms) ??
  (needs.length > rooms.length ? { node: rooms.length, dimension: 'vcpus', requested: 0, available: 0 } : undefined)
