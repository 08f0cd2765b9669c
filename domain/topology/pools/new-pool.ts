import type { StandardMembers } from '../../resources/standard-members.ts'
import { allocatableOf } from './capacity.ts'
import { pinnedText } from './pinned.ts'
import type { StoredPool } from './pools-store.ts'

/** The members of a new pool that its caller sets. */
type Settable = Omit<StoredPool, keyof StandardMembers | keyof Use>
type Use = Pick<StoredPool, 'allocatable' | 'allocated' | 'available' | 'allocation_count' | 'pinned'>

/** Returns the row of a pool without allocations. */
export function newPool(settable: Settable, standard: StandardMembers): StoredPool {
  const allocatable = allocatableOf(settable)
  const pinned = pinnedText(settable.numa_nodes.map(() => ({ vcpus: 0, memory_mib: 0 })))
  return { ...standard, ...settable, allocatable, ...unused, available: allocatable, pinned }
}

const unused = { allocated: { vcpus: 0, memory_mib: 0, disk_gib: 0 }, allocation_count: 0 } as const
