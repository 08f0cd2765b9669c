import { canonical } from '../../runtime/validation.ts'
import type { Finding, Inspection } from '../ports/inspection.ts'
import { workspaceScope } from '../resources/kind.ts'
import { references } from '../resources/references.ts'
import { bootSources } from './images/boot-sources-store.ts'
import { consumerOf, needOf } from './vms/capacity.ts'
import { bareStatus, portStates, stableStatuses, type Holding, type Status } from './vms/transitions.ts'
import { vmKind } from './vms/vm-kind.ts'
import { vmCollection, type StoredVm } from './vms/vms-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Yields the contradictions between machines and their work, ports, capacity and references to zones. */
export async function* inspectCompute(inspection: Inspection): Findings {
  const { reader } = inspection
  for await (const { value } of reader.each(vmCollection)) {
    const faults = [
      ...(await workFaults(inspection, value)),
      ...(await portFaults(inspection, value)),
      ...(await capacityFaults(inspection, value)),
      ...(await zoneFaults(inspection, value)),
      ...(await sourceFaults(inspection, value)),
    ]
    for (const message of faults) yield { resourceType: vmKind.type, id: value.id, message }
  }
  yield* inspectLeft(inspection)
  for await (const { id } of reader.each(bootSources)) {
    if (await reader.exists(vmCollection, { id })) continue
    yield { resourceType: vmKind.type, id, message: 'does not exist, but the version of its boot disk is recorded' }
  }
}

/** Returns a fault unless the content of a boot disk is recorded if, and only if, it is made of an object or artifact. */
async function sourceFaults({ reader }: Inspection, { boot_disk, id }: StoredVm): Promise<readonly string[]> {
  const isRecorded = (await reader.get(bootSources, id)) !== undefined
  const { source_artifact, source_object } = boot_disk
  if (isRecorded === ((source_artifact ?? source_object) !== undefined)) return []
  return [isRecorded ? 'needs no content, but one is recorded' : 'has a boot disk from a content that is not recorded']
}

/** Returns a fault if a transient status has no operation, or if an operation has no work that will end it. */
async function workFaults({ workAt }: Inspection, vm: StoredVm): Promise<readonly string[]> {
  const { id, operation_id, workspace_id } = vm
  const status = bareStatus(vm)
  if (operation_id === '') return stableStatuses.includes(status) ? [] : [`is ${status} without an operation`]
  const works = await workAt(workspaceScope(workspace_id))
  const isWorked = works.some(({ input, kind }) => kind.startsWith('compute.') && Reflect.get(input, 'vm') === id)
  return isWorked ? [] : [`is changed by operation ${operation_id}, and no work will end it`]
}

/** Returns the differences between the ports of a machine and its interfaces, in number, addresses and states. */
async function portFaults({ facts, reader }: Inspection, vm: StoredVm): Promise<readonly string[]> {
  if (!facts.network) return []
  const faults: string[] = []
  const wanted = new Map(vm.network_interfaces.map(each => [each.logical_port_id, each]))
  const state = portStates[bareStatus(vm)]
  for await (const { id, ip_address, isUp } of facts.network.ports(reader, vm.id)) {
    const nic = wanted.get(id)
    wanted.delete(id)
    if (!nic) faults.push(`has the logical port ${id}, which no interface names`)
    else if (nic.ip_address !== ip_address)
      faults.push(`has the address ${nic.ip_address} for ${nic.name}; the port has ${ip_address}`)
    if (state !== undefined && isUp !== (state === 'UP'))
      faults.push(`is ${bareStatus(vm)}, but its logical port ${id} is ${isUp ? 'UP' : 'DOWN'}`)
  }
  for (const { logical_port_id, name } of wanted.values())
    faults.push(`has ${name} with the logical port ${logical_port_id}, which does not exist`)
  return faults
}

/** The capacity that machines hold in a stable status; machines in ERROR hold what they held before. */
const held: Readonly<Partial<Record<Status, Holding>>> = { RUNNING: 'POWERED', STOPPED: 'DISKS', SUSPENDED: 'SAVED' }

/** Returns the differences between the capacity that a machine holds and the capacity of its status and size. */
async function capacityFaults({ facts, reader }: Inspection, vm: StoredVm): Promise<readonly string[]> {
  const expected = held[bareStatus(vm)]
  const wrong = expected !== undefined && expected !== vm.holds
  const faults = wrong ? [`is ${bareStatus(vm)} and holds ${vm.holds}; it must hold ${expected}`] : []
  if (!facts.topology) return faults
  const found = await facts.topology.allocation(reader, consumerOf(vm))
  if (!found) return [...faults, 'has no allocation of capacity']
  const { consumer: _own, resource_pool, ...amounts } = found
  const need = needOf(vm, vm.holds)
  return [
    ...faults,
    ...(resource_pool === vm.resource_pool
      ? []
      : [`names the pool ${vm.resource_pool}; its capacity is in ${resource_pool}`]),
    ...(canonical(amounts) === canonical(need)
      ? []
      : [`has the capacity ${canonical(amounts)}; it must have ${canonical(need)}`]),
  ]
}

/** Returns a fault unless a machine has one reference to a zone; the reference keeps the zone from being deleted. */
async function zoneFaults({ reader }: Inspection, { id }: StoredVm): Promise<readonly string[]> {
  const where = { holder_type: vmKind.type, holder_id: id, target_type: 'topology.zones' }
  const count = await reader.count(references, where)
  return count === 1 ? [] : [`has ${count} references to zones; it must have one`]
}

/** Yields the ports and the allocations whose machine does not exist. */
async function* inspectLeft({ facts, reader }: Inspection): Findings {
  if (facts.network)
    for await (const { id, vm } of facts.network.ports(reader)) {
      if (await reader.exists(vmCollection, { id: vm })) continue
      const message = `belongs to virtual machine ${vm}, which does not exist`
      yield { resourceType: 'network.logicalPorts', id, message }
    }
  if (facts.topology)
    for await (const vm of facts.topology.consumers(reader, vmKind.type)) {
      if (await reader.exists(vmCollection, { id: vm })) continue
      yield { resourceType: vmKind.type, id: vm, message: 'does not exist, and holds capacity of a resource pool' }
    }
}
