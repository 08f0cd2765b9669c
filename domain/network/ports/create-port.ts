import { ipAddressNotAssignable, subnetExhausted, subnetNotFound } from '../../../output/network/errors.ts'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { contains, formatAddress, parseAddress } from '../../addresses/ipv4.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CreatedPort, PortRequest } from '../../ports/network.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { addReference } from '../../resources/references.ts'
import { quotas } from '../quotas.ts'
import { planOf } from '../subnets/address-plan.ts'
import { holds } from '../subnets/address-ranges.ts'
import { takeAddress, takeLowest } from '../subnets/free-range-rows.ts'
import { subnetKind } from '../subnets/subnet-kind.ts'
import { subnetCollection, type StoredSubnet } from '../subnets/subnets-store.ts'
import { macAddresses } from './mac-address.ts'
import { portKind } from './port-kind.ts'
import { addressTaken, portCollection, type StoredPort } from './ports-store.ts'

/** The parts that the functions of network need. */
export interface PortParts {
  readonly clock: Clock
  readonly taxonomy: Pick<Taxonomy, 'chain'>
}

/** Creates and returns a logical port (`Network.createPort`). */
export async function createPort(
  { clock, taxonomy }: PortParts,
  tx: Transaction,
  request: PortRequest,
): Promise<CreatedPort> {
  const subnet = await tx.lock(subnetCollection, request.subnet_id)
  if (!subnet)
    throw subnetNotFound(`there is no subnet ${request.subnet_id}`, {
      resource: { type: subnetKind.type, name: request.subnet_id },
    })
  const { region, vpc_id, workspace_id } = subnet.value
  const asked = request.ip_address === undefined ? undefined : await takeAsked(tx, subnet.value, request.ip_address)
  await quotas.requireRoom(tx, taxonomy, workspace_id, [{ definition: 'network.logicalPorts', dimensions: { region } }])
  const { address, isOpen } = asked ?? (await takeFree(tx, subnet.value))
  await countAllocated(tx, subnet, isOpen)
  const id = clock.newId()
  const mac_address = await freeMac(tx, vpc_id, id)
  const port = rowOf(subnet.value, request, { id, mac_address, ip_address: formatAddress(address) }, clock.now())
  await tx.insert(portCollection, port)
  await addReference(tx, { type: subnetKind.type, id: subnet.id }, { type: portKind.type, id })
  return { id, vpc_id, mac_address, ip_address: port.ip_address }
}

interface Taken {
  readonly address: number
  /** Whether the address lies outside of the reserved ranges, so that the subnet counted it as available. */
  readonly isOpen: boolean
}

/** Takes and returns a requested address. Throws IP_ADDRESS_NOT_ASSIGNABLE or IP_ADDRESS_IN_USE. */
async function takeAsked(tx: Transaction, subnet: StoredSubnet, text: string): Promise<Taken> {
  const { block, platform } = planOf(subnet)
  const address = parseAddress(text) ?? -1
  const fault = !contains(block, { first: address, last: address })
    ? `is not in subnet ${subnet.name}, ${subnet.cidr_block}`
    : holds(platform, address)
      ? 'is reserved by the platform'
      : undefined
  if (fault !== undefined)
    throw faultAt(ipAddressNotAssignable, 'ip_address', `address ${text.slice(0, 80)} ${fault}; choose another`)
  const range = await takeAddress(tx, subnet.id, address)
  if (!range) throw addressTaken(`another port of subnet ${subnet.name} has the address ${text}; choose another`, text)
  return { address, isOpen: !range.is_reserved }
}

/**
 * Takes and returns the lowest free address outside of the reserved ranges. Throws SUBNET_EXHAUSTED if no such address
 * is left.
 */
async function takeFree(tx: Transaction, { cidr_block, id, name }: StoredSubnet): Promise<Taken> {
  const address = await takeLowest(tx, id)
  if (address !== undefined) return { address, isOpen: true }
  const message = `subnet ${name}, ${cidr_block}, has no free address; delete a port of it, or choose another subnet`
  throw subnetExhausted(message, {
    resource: { type: subnetKind.type, name: id },
    quota: [{ subject: id, description: 'all addresses are used' }],
  })
}

/**
 * Counts the new address in the row of the subnet. The etag and the update time stay, because they follow settable
 * members only.
 */
async function countAllocated(tx: Transaction, { id, value, version }: Stored<StoredSubnet>, isOpen: boolean) {
  const available_addresses = value.available_addresses - (isOpen ? 1 : 0)
  const counts = { allocated_addresses: value.allocated_addresses + 1, available_addresses }
  await tx.update(subnetCollection, id, { ...value, ...counts }, version)
}

/**
 * Returns the first of a new port's MAC addresses that no other port of the VPC has. Throws ENGINE_UNAVAILABLE if other
 * ports have all these addresses.
 */
async function freeMac(tx: Transaction, vpc_id: string, id: string): Promise<string> {
  for (const mac_address of macAddresses(id)) {
    if (!(await tx.exists(portCollection, { vpc_id, mac_address }))) return mac_address
  }
  throw engineUnavailable('other ports have all MAC addresses of a new port; repeat the call', {
    retryAfterSeconds: 1,
  })
}

function rowOf(
  { engine, id: subnet_id, region, vpc_id, workspace_id }: StoredSubnet,
  { nic, vm }: PortRequest,
  own: Pick<StoredPort, 'id' | 'ip_address' | 'mac_address'>,
  now: number,
): StoredPort {
  const time = formatMillis(now)
  return {
    ...own,
    workspace_id,
    engine,
    region,
    zone: vm.zone,
    vpc_id,
    subnet_id,
    name: `${vm.name}-${nic}`,
    labels: { ...vm.labels },
    state: 'NETWORK_LOGICAL_PORT_STATE_DOWN',
    attachment: { resource_type: 'compute.vms', resource_id: vm.id, interface: nic },
    create_time: time,
    update_time: time,
  }
}
