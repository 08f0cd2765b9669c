import { minus, plus, type Capacity } from './capacity.ts'
import type { PinnedNode } from './allocations-store.ts'
import type { NodeRoom } from './numa.ts'
import { pinnedOf, pinnedText } from './pinned.ts'
import type { PoolRoom } from './placement.ts'
import type { StoredPool } from './pools-store.ts'

/** The use of a resource pool by one allocation. */
export interface Use extends Capacity {
  readonly nodes: readonly PinnedNode[]
}

/** Returns the room of a pool; `isReady` is true if the last probe of its deployment target has passed. */
export function roomOf(pool: StoredPool, isReady: boolean): PoolRoom {
  const pinned = pinnedOf(pool)
  return {
    id: pool.id,
    name: pool.name,
    isAvailable: pool.schedulable && isReady,
    allocatable: pool.allocatable,
    available: pool.available,
    nodes: pool.numa_nodes.map(({ memory_mib, vcpus }, i) => ({
      vcpus: vcpus - (pinned[i]?.vcpus ?? 0),
      memory_mib: memory_mib - (pinned[i]?.memory_mib ?? 0),
    })),
  }
}

/**
 * Returns a pool after a change of one allocation: `before` is undefined for a new allocation, `after` for a released
 * allocation.
 */
export function withUse(pool: StoredPool, before: Use | undefined, after: Use | undefined): StoredPool {
  const freed = before ? minus(pool.allocated, before) : pool.allocated
  const allocated = after ? plus(freed, after) : freed
  const pinned = pinnedOf(pool)
  const unpinned = before ? before.nodes.reduce((nodes, pin) => added(nodes, pin, -1), pinned) : pinned
  return {
    ...pool,
    allocated,
    available: minus(pool.allocatable, allocated),
    allocation_count: pool.allocation_count + (after ? 1 : 0) - (before ? 1 : 0),
    pinned: pinnedText(after ? after.nodes.reduce((nodes, pin) => added(nodes, pin, 1), unpinned) : unpinned),
  }
}

const added = (nodes: readonly NodeRoom[], { memory_mib, node, vcpus }: PinnedNode, sign: 1 | -1) =>
  nodes.map((use, i) =>
    i === node ? { vcpus: use.vcpus + sign * vcpus, memory_mib: use.memory_mib + sign * memory_mib } : use,
  )
