import { numaLayoutInvalid } from '../../../output/topology/errors.ts'
import type { HostNumaNode, ResourceCapacityUpdate } from '../../../output/topology/types.ts'
import { faultAt } from '../../../runtime/errors.ts'

const dimensions = ['vcpus', 'memory_mib'] as const

/**
 * Throws NUMA_LAYOUT_INVALID if the sums of the nodes exceed the capacity. A dimension that the capacity does not give
 * is not compared.
 */
export function requireLayout(nodes: readonly HostNumaNode[], capacity: ResourceCapacityUpdate): void {
  for (const dimension of dimensions) {
    const sum = nodes.reduce((total, node) => total + node[dimension], 0)
    const most = capacity[dimension]
    if (most === undefined || sum <= most) continue
    const message = `the NUMA nodes have ${sum} ${dimension}, more than the ${most} of the capacity`
    throw faultAt(numaLayoutInvalid, 'numa_nodes', message)
  }
}
