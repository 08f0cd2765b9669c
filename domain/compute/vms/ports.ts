import { vmSubnetNotFound, vmSubnetRegionMismatch } from '../../../output/compute/errors.ts'
import type { VmNetworkInterface, VmNetworkInterfaceInput } from '../../../output/compute/types.ts'
import { absentAt, ApiError, atField, faultAt } from '../../../runtime/errors.ts'
import type { Network, SubnetFacts } from '../../ports/network.ts'
import type { Transaction } from '../../ports/store.ts'
import { portStates, type Status } from './transitions.ts'
import type { StoredVm } from './vms-store.ts'

/** A subnet in the body of a call. */
export interface NamedSubnet {
  readonly subnet_id: string
  /** The index in `network_interfaces`. */
  readonly at: number
}

/**
 * Locks the named subnets and those of `others` in the order of their ids. Throws VM_SUBNET_NOT_FOUND and
 * VM_SUBNET_REGION_MISMATCH at the first faulty item of the body.
 */
export async function requireSubnets(
  network: Pick<Network, 'requireSubnet'>,
  tx: Transaction,
  { region, workspace_id }: Pick<StoredVm, 'region' | 'workspace_id'>,
  named: readonly NamedSubnet[],
  others: readonly string[] = [],
): Promise<void> {
  const found = new Map<string, SubnetFacts>()
  for (const id of [...named.map(({ subnet_id }) => subnet_id), ...others].toSorted()) {
    const subnet = await network.requireSubnet(tx, workspace_id, id)
    if (subnet) found.set(id, subnet)
  }
  for (const { at, subnet_id } of named) {
    const subnet = found.get(subnet_id)
    const field = `network_interfaces[${at}].subnet_id`
    const resource = { type: 'network.subnets', name: subnet_id }
    if (!subnet) throw absentAt(vmSubnetNotFound, field, `the workspace has no subnet ${subnet_id}`, resource)
    if (subnet.region === region) continue
    const message = `subnet ${subnet_id} is of region ${subnet.region}, and the zone of region ${region}`
    throw faultAt(vmSubnetRegionMismatch, field, message, { resource })
  }
}

/** Creates the port of an interface. Reports an address that cannot be assigned at the field of the address. */
export async function createInterface(
  network: Pick<Network, 'createPort'>,
  tx: Transaction,
  vm: Pick<StoredVm, 'id' | 'labels' | 'name' | 'zone'>,
  { ip_address, subnet_id }: VmNetworkInterfaceInput,
  { at, name }: { readonly at: number; readonly name: string },
): Promise<VmNetworkInterface> {
  try {
    const port = await network.createPort(tx, { vm, nic: name, subnet_id, ip_address })
    const { id, ...members } = port
    return { subnet_id, name, ...members, logical_port_id: id }
  } catch (error) {
    const isOfAddress = error instanceof ApiError && error.rpc === 'INVALID_ARGUMENT'
    throw isOfAddress ? atField(error, `network_interfaces[${at}].ip_address`) : error
  }
}

/** Yields the free names of interfaces in ascending order of their numbers, without end. */
export function* freeNames(taken: readonly Pick<VmNetworkInterface, 'name'>[]): Generator<string, never, undefined> {
  const names = new Set(taken.map(({ name }) => name))
  for (let i = 0; ; i += 1) if (!names.has(`nic${i}`)) yield `nic${i}`
}

/** Deletes the ports of interfaces; their subnets are locked in the order of their ids. */
export async function releaseInterfaces(
  network: Pick<Network, 'releasePort'>,
  tx: Transaction,
  interfaces: readonly VmNetworkInterface[],
): Promise<void> {
  for (const { logical_port_id } of interfaces.toSorted((one, other) => (one.subnet_id < other.subnet_id ? -1 : 1)))
    await network.releasePort(tx, logical_port_id)
}

/** Sets the ports of a machine to the state of its new status; a status without a port state changes no port. */
export async function switchPorts(
  network: Pick<Network, 'setPortState'>,
  tx: Transaction,
  { network_interfaces }: Pick<StoredVm, 'network_interfaces'>,
  after: Status,
): Promise<void> {
  const state = portStates[after]
  if (state === undefined) return
  for (const { logical_port_id } of network_interfaces) await network.setPortState(tx, logical_port_id, state)
}
