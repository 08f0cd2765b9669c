import type { Collection } from '../../ports/store.ts'
import type { CapacityNeed, Consumer } from '../../ports/topology.ts'
import type { Capacity } from './capacity.ts'
import type { NodeRoom } from './numa.ts'

/** A NUMA node of a guest and the number of the host node to which it is pinned. */
export interface PinnedNode extends NodeRoom {
  readonly node: number
}

/** A row of the ledger: the capacity that a consumer holds in a resource pool. */
export interface StoredAllocation extends Capacity {
  /** The id that `allocationId` returns, so that a consumer has at most one allocation. */
  readonly id: string
  readonly consumer_type: string
  readonly consumer_id: string
  readonly workspace_id?: string
  readonly zone_id: string
  readonly pool_id: string
  /** The pinned NUMA nodes of the guest, in the order of the guest; empty while no node is pinned. */
  readonly nodes: readonly PinnedNode[]
}

/** The ledger of all resource pools. */
export const allocations: Collection<StoredAllocation> = {
  name: 'topology_allocations',
  id: 'id',
  columns: { workspace_id: 'STRING', pool_id: 'STRING', consumer_type: 'STRING' },
  indexes: [['pool_id'], ['workspace_id']],
}

/** Returns the id of a consumer's allocation: `<type>/<id>`. */
export const allocationId = ({ id, type }: Pick<Consumer, 'type' | 'id'>): string => `${type}/${id}`

/** Returns the guest nodes of a need with the numbers of their host nodes, in the order of the guest. */
export const pinnedNodes = ({ numa = [] }: CapacityNeed, nodes: readonly number[]): readonly PinnedNode[] =>
  numa.map(({ memory_mib, vcpus }, i) => ({ vcpus, memory_mib, node: nodes[i] ?? -1 }))
