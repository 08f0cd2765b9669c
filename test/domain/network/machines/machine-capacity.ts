import type { Consumer, CapacityNeed, Topology } from '../../../../domain/ports/topology.ts'
import { vmNumaUnsatisfiable, zoneCapacityExhausted, zoneNotAvailable } from '../../../../output/compute/errors.ts'
import type { ParsedVm } from '../../../../output/compute/types.ts'
import type { Machine } from './machine-kind.ts'

/** Returns the consumer of capacity for a machine. */
export const consumerOf = ({ id, workspace_id }: Machine): Consumer => ({ type: 'compute.vms', id, workspace_id })

/** Returns the capacity that a running machine needs. */
export const needOf = ({ boot_disk, cpu, memory_mib, numa }: ParsedVm): CapacityNeed => ({
  vcpus: cpu.count,
  memory_mib,
  disk_gib: boot_disk.size_gib ?? 10,
  ...(numa && { numa: numa.nodes }),
})

type Outcome = Awaited<ReturnType<Topology['allocate' | 'resize' | 'reallocate']>>

/**
 * Throws the error of compute for a refused capacity: ZONE_NOT_AVAILABLE, ZONE_CAPACITY_EXHAUSTED or
 * VM_NUMA_UNSATISFIABLE. Returns for an allocated capacity.
 */
export function requireCapacity(zone: string, outcome: Outcome): void {
  const full = { quota: [{ subject: zone, description: 'the zone has no room' }] }
  const exhausted = (dimension: string, requested = '', available = '') =>
    zoneCapacityExhausted(`zone ${zone} has no room: ${dimension}`, { zone, dimension, requested, available }, full)
  switch (outcome.kind) {
    case 'allocated':
      return
    case 'unavailable':
      throw zoneNotAvailable(
        `zone ${zone} takes no new work`,
        { zone },
        {
          precondition: [{ type: 'STATE', subject: zone, description: 'it must take new work' }],
        },
      )
    case 'numa':
      throw vmNumaUnsatisfiable(`zone ${zone} has no room for the NUMA nodes`, full)
    case 'combined':
      throw exhausted('combined')
    case 'capacity':
      throw exhausted(outcome.dimension, String(outcome.requested), String(outcome.available))
    case 'unallocated':
      throw new Error('the machine holds no capacity')
  }
}
