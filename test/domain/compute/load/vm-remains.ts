import { machines } from '../../../../domain/compute/drivers/simulated/machines-store.ts'
import { vmCollection } from '../../../../domain/compute/vms/vms-store.ts'
import { portCollection } from '../../../../domain/network/ports/ports-store.ts'
import type { Reader } from '../../../../domain/ports/store.ts'
import { quotaUsages } from '../../../../domain/taxonomy/quotas/usage.ts'
import { allocations } from '../../../../domain/topology/pools/allocations-store.ts'
import { poolCollection } from '../../../../domain/topology/pools/pools-store.ts'
import { works } from '../../../../server/operations/work.ts'

/** Returns a line for each kind of row that a store still has of virtual machines; empty if nothing remains. */
export async function vmRemains(reader: Reader): Promise<readonly string[]> {
  const counts = [
    [vmCollection.name, await reader.count(vmCollection)],
    [machines.name, await reader.count(machines)],
    [portCollection.name, await reader.count(portCollection)],
    [allocations.name, await reader.count(allocations)],
    [works.name, await reader.count(works)],
  ] as const
  const remains = counts.flatMap(([name, count]) => (count > 0 ? [`${count} of ${name}`] : []))
  for await (const { value } of reader.each(quotaUsages))
    if (value.quota_id.startsWith('compute.') && value.amount !== 0)
      remains.push(`${value.amount} of quota ${value.quota_id}`)
  for await (const { value } of reader.each(poolCollection)) {
    const { disk_gib, memory_mib, vcpus } = value.allocated
    if (disk_gib + memory_mib + vcpus > 0) remains.push(`an allocation in pool ${value.name}`)
  }
  return remains
}
