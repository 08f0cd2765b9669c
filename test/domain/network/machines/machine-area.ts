import type { Transaction } from '../../../../domain/ports/store.ts'
import { Resources } from '../../../../domain/resources/resources.ts'
import { computeArea, type ComputeArea } from '../../../../output/compute/area.ts'
import { vmSubnetNotFound } from '../../../../output/compute/errors.ts'
import type { VmHandlers } from '../../../../output/compute/handlers.ts'
import type { VmNetworkInterfaceInput } from '../../../../output/compute/types.ts'
import { absentAt, ApiError, atField, unimplemented } from '../../../../runtime/errors.ts'
import type { AreaModule } from '../../../../server/area.ts'
import type { AreaEnvironment } from '../../../../server/area-parts.ts'
import { areaInProgress, records } from '../../../../server/area-in-progress.ts'
import { areas } from '../../../../server/areas.ts'
import { consumerOf, needOf, requireCapacity } from './machine-capacity.ts'
import { machineKind, type Machine } from './machine-kind.ts'

type MachineParts = AreaEnvironment<ComputeArea, 'network' | 'topology'>

const missing = async () => {
  throw unimplemented('machines of tests')
}

/** Creates the ports of a machine, whose interfaces must name different subnets; returns the ids of the ports. */
async function createPorts(
  { functions }: MachineParts,
  tx: Transaction,
  machine: Machine,
  interfaces: readonly VmNetworkInterfaceInput[],
): Promise<readonly string[]> {
  const ports: string[] = []
  for (const [i, { ip_address, subnet_id }] of interfaces.entries()) {
    try {
      const { id } = await functions.network.createPort(tx, { vm: machine, nic: `nic${i}`, subnet_id, ip_address })
      ports.push(id)
    } catch (error) {
      const isOfAddress = error instanceof ApiError && error.rpc === 'INVALID_ARGUMENT'
      throw isOfAddress ? atField(error, `network_interfaces[${i}].ip_address`) : error
    }
  }
  return ports
}

function machineCalls(parts: MachineParts): VmHandlers {
  const resources = new Resources<Machine, ComputeArea>(machineKind, parts)
  const topology = () => parts.functions.topology
  const power = async (tx: Transaction, { ports }: Machine, state: 'UP' | 'DOWN'): Promise<void> => {
    for (const port of ports) await parts.functions.network.setPortState(tx, port, state)
  }
  return {
    listVms: missing,
    getVm: missing,
    suspendVm: missing,
    resumeVm: missing,
    restartVm: missing,
    resetVm: missing,
    async createVm(request, context) {
      const { labels, name, network_interfaces: interfaces, zone } = request.body
      const { engine: _none, ...standard } = resources.standard({ ...request, engine: 'native' }, context)
      const status = 'NATIVE_VM_STATUS_STOPPED'
      const machine: Machine = { ...standard, name, zone, labels, status, need: needOf(request.body), ports: [] }
      return resources.create(request, context, machine, {
        async refer(tx) {
          for (const [i, { subnet_id }] of interfaces.entries()) {
            if (await parts.functions.network.requireSubnet(tx, request.workspace, subnet_id)) continue
            const resource = { type: 'network.subnets', name: subnet_id }
            const field = `network_interfaces[${i}].subnet_id`
            throw absentAt(vmSubnetNotFound, field, `there is no subnet ${subnet_id}`, resource)
          }
        },
        async count(tx) {
          requireCapacity(zone, await topology().allocate(tx, zone, machine.need, consumerOf(machine)))
          const ports = await createPorts(parts, tx, machine, interfaces)
          const stored = await tx.lock(machineKind.collection, machine.id)
          if (stored) await tx.update(machineKind.collection, machine.id, { ...machine, ports }, stored.version)
        },
      })
    },
    updateVm: (request, context) =>
      resources.update(request, context, {
        refer: (tx, { value }) => parts.functions.network.setPortLabels(tx, value.id, value.labels),
      }),
    deleteVm: (request, context) =>
      resources.delete(request, context, {
        async release(tx, machine) {
          for (const port of machine.ports) await parts.functions.network.releasePort(tx, port)
          await topology().release(tx, consumerOf(machine))
        },
      }),
    startVm: (request, context) =>
      resources.verb('start', request, context, async (tx, machine) => {
        requireCapacity(machine.zone, await topology().reallocate(tx, consumerOf(machine), machine.need))
        await power(tx, machine, 'UP')
        return {}
      }),
    stopVm: (request, context) =>
      resources.verb('stop', request, context, async (tx, machine) => {
        const { disk_gib } = machine.need
        const need = { vcpus: 0, memory_mib: 0, disk_gib }
        requireCapacity(machine.zone, await topology().resize(tx, consumerOf(machine), need))
        await power(tx, machine, 'DOWN')
        return {}
      }),
  }
}

/**
 * An area in place of compute. The machines of the area have logical ports by the functions of network, and capacity by
 * the functions of topology. A stopped machine has disk capacity only.
 */
export const machineArea: AreaModule = areaInProgress({
  generated: computeArea,
  kinds: [machineKind],
  needs: { required: ['network', 'topology'] },
  built: { ...records(computeArea.filters), vms: machineCalls },
})

/** The areas of a server with machines in place of compute. */
export const areasWithMachines: readonly AreaModule[] = areas.map(area =>
  area.domain.name === 'compute' ? machineArea : area,
)
