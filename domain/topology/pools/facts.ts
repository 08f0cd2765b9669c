import type { AreaFacts } from '../../ports/inspection.ts'
import { allocationId, allocations } from './allocations-store.ts'
import { poolCollection } from './pools-store.ts'

/** The facts of topology for the checkers of other areas. */
export const capacityFacts: AreaFacts['topology'] = {
  async allocation(reader, consumer) {
    const held = (await reader.get(allocations, allocationId(consumer)))?.value
    if (!held) return undefined
    const { consumer_id, disk_gib, memory_mib, nodes, pool_id, vcpus } = held
    const resource_pool = (await reader.get(poolCollection, pool_id))?.value.name ?? ''
    const numa = nodes.map(node => ({ vcpus: node.vcpus, memory_mib: node.memory_mib }))
    return {
      consumer: consumer_id,
      resource_pool,
      vcpus,
      memory_mib,
      disk_gib,
      ...(numa.length > 0 && { numa }),
    }
  },
  async *consumers(reader, type) {
    for await (const { value } of reader.each(allocations, { consumer_type: type })) yield value.consumer_id
  },
}
