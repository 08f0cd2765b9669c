import { vmNumaUnsatisfiable, zoneCapacityExhausted, zoneNotAvailable } from '../../../output/compute/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'
import type {
  Allocated,
  CapacityNeed,
  Consumer,
  Shortage,
  Topology,
  Unallocated,
  Unavailable,
} from '../../ports/topology.ts'
import type { Holding, VerbRow } from './transitions.ts'
import type { StoredVm } from './vms-store.ts'

/** The members of a machine from which its capacity follows. */
type Sized = Pick<StoredVm, 'boot_disk' | 'cpu' | 'data_disks' | 'memory_mib' | 'numa' | 'removed_gib'>

/** Returns the size of all disks of a machine in GiB, including disks that an update is deleting. */
export const disksGib = ({ boot_disk, data_disks, removed_gib }: Omit<Sized, 'cpu' | 'memory_mib' | 'numa'>): number =>
  data_disks.reduce((sum, { size_gib }) => sum + size_gib, (boot_disk.size_gib ?? 0) + Number(removed_gib))

/** Returns the capacity that a machine of this size takes for a holding (compute.md 4). */
export function needOf(vm: Sized, holds: Holding): CapacityNeed {
  const isPowered = holds === 'POWERED' || holds === 'POWERED_AND_SAVED'
  const isSaved = holds === 'SAVED' || holds === 'POWERED_AND_SAVED'
  const saved_gib = isSaved ? Math.ceil(vm.memory_mib / 1024) : 0
  return {
    vcpus: isPowered ? vm.cpu.count : 0,
    memory_mib: isPowered ? vm.memory_mib : 0,
    disk_gib: disksGib(vm) + saved_gib,
    ...(isPowered && vm.numa && { numa: vm.numa.nodes.map(({ memory_mib, vcpus }) => ({ vcpus, memory_mib })) }),
  }
}

/** Returns a machine as a consumer of capacity. */
export const consumerOf = ({ id, workspace_id }: Pick<StoredVm, 'id' | 'workspace_id'>): Consumer => ({
  type: 'compute.vms',
  id,
  workspace_id,
})

/**
 * Changes the capacity of a machine to that of a holding, and returns the members that change with it. `reallocate` is
 * for a machine that begins to run: zone and pool must be AVAILABLE. Throws ZONE_NOT_AVAILABLE, ZONE_CAPACITY_EXHAUSTED
 * and VM_NUMA_UNSATISFIABLE.
 */
export async function changeHolding(
  topology: Pick<Topology, 'resize' | 'reallocate'>,
  tx: Transaction,
  vm: StoredVm,
  holds: Holding,
  how: 'resize' | 'reallocate' = 'resize',
): Promise<Pick<StoredVm, 'holds' | 'numa'>> {
  const given = requireAllocated(await topology[how](tx, consumerOf(vm), needOf(vm, holds)), vm)
  return { holds, ...withNodes(vm, given.nodes) }
}

/**
 * Changes the capacity of a machine as `changeHolding` does, to the holding that the request of a verb needs. Returns
 * no members for a verb that needs no change.
 */
export async function holdForVerb(
  topology: Pick<Topology, 'resize' | 'reallocate'>,
  tx: Transaction,
  vm: StoredVm,
  { holds, isPowering }: Pick<VerbRow, 'holds' | 'isPowering'>,
): Promise<Partial<Pick<StoredVm, 'holds' | 'numa'>>> {
  const { transient } = holds
  return transient ? changeHolding(topology, tx, vm, transient, isPowering ? 'reallocate' : 'resize') : {}
}

/** Returns the NUMA topology of a machine with these host nodes; an empty list gives the guest nodes no host nodes. */
export const withNodes = ({ numa }: Pick<StoredVm, 'numa'>, nodes: readonly number[]): Pick<StoredVm, 'numa'> =>
  numa === undefined
    ? {}
    : {
        numa: {
          nodes: numa.nodes.map(({ memory_mib, vcpus }, i) => {
            const host_node = nodes[i]
            return { vcpus, memory_mib, ...(host_node !== undefined && { host_node }) }
          }),
        },
      }

/** Returns the allocation, or throws the error of compute for a refusal of topology. */
export function requireAllocated(
  given: Allocated | Shortage | Unavailable | Unallocated,
  { id, resource_pool, zone }: Pick<StoredVm, 'id' | 'resource_pool' | 'zone'>,
): Allocated {
  const place = resource_pool === '' ? `zone ${zone}` : `resource pool ${resource_pool} of zone ${zone}`
  switch (given.kind) {
    case 'allocated':
      return given
    case 'capacity': {
      const { available, dimension, requested } = given
      const metadata = { zone, dimension, requested: String(requested), available: String(available) }
      const message = `${place} has no room for ${requested} ${dimension}; ${available} are left`
      throw zoneCapacityExhausted(message, metadata, quotaOf(zone, message))
    }
    case 'combined':
      throw combined(zone, `no resource pool of zone ${zone} has room for vcpus, memory and disks together`)
    case 'numa':
      throw unsatisfiable(zone, `${place} has no distinct host nodes for the NUMA nodes of the guest`)
    case 'unavailable':
      throw unavailableZone(zone, `${place} takes no virtual machines; it is cordoned or its target is not READY`)
    case 'unallocated':
      throw new Error(`virtual machine ${id} has no allocation`)
  }
}

/** Returns the error ZONE_NOT_AVAILABLE. */
export const unavailableZone = (zone: string, message: string) =>
  zoneNotAvailable(
    message,
    { zone },
    { precondition: [{ type: 'STATE', subject: zone, description: 'it must take new virtual machines' }] },
  )

const quotaOf = (subject: string, description: string) => ({ quota: [{ subject, description }] })

const unsatisfiable = (zone: string, message: string): ApiError => vmNumaUnsatisfiable(message, quotaOf(zone, message))

/**
 * Returns ZONE_CAPACITY_EXHAUSTED for a need whose dimensions fit only into different pools. The error has no amounts,
 * because no single amount explains the refusal.
 */
function combined(zone: string, message: string): ApiError {
  const details = quotaOf(zone, message)
  const unknown = { zone, dimension: '', requested: '', available: '' }
  const { code, domain, reason, rpc } = zoneCapacityExhausted(message, unknown, details)
  return new ApiError({ reason, rpc, code, domain }, message, { zone, dimension: 'combined' }, details)
}
