import type { NodeRoom } from './numa.ts'
import type { StoredPool } from './pools-store.ts'

/**
 * Returns the use that is pinned to the NUMA nodes of a pool as a text: from node 0, `<vcpus>:<memory_mib>`, with a
 * space between nodes. The text is empty without nodes.
 */
export const pinnedText = (nodes: readonly NodeRoom[]): string =>
  nodes.map(({ memory_mib, vcpus }) => `${vcpus}:${memory_mib}`).join(' ')

/** Returns the use that is pinned to each NUMA node of a pool, in the order of `numa_nodes`. */
export function pinnedOf({ numa_nodes, pinned }: Pick<StoredPool, 'numa_nodes' | 'pinned'>): readonly NodeRoom[] {
  const uses = pinned.split(' ')
  return numa_nodes.map((_node, i) => {
    const [vcpus = 0, memory_mib = 0] = (uses[i] ?? '').split(':').map(Number)
    return { vcpus, memory_mib }
  })
}
