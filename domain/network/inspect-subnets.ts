import { formatAddress, overlaps, parseAddress, sizeOf } from '../addresses/ipv4.ts'
import type { Finding } from '../ports/inspection.ts'
import type { Reader } from '../ports/store.ts'
import { portCollection, type StoredPort } from './ports/ports-store.ts'
import { macAddresses } from './ports/mac-address.ts'
import { vpcCollection } from './vpcs-store.ts'
import { blockOf, freeRangesOf, planOf, usableCount, type AddressPlan } from './subnets/address-plan.ts'
import { holds, without, type SidedRange } from './subnets/address-ranges.ts'
import { openCount } from './subnets/free-range-rows.ts'
import { freeRanges, rangeKey, type FreeRange } from './subnets/free-ranges-store.ts'
import { liesIn } from './subnets/subnet-place.ts'
import { subnetCollection, type StoredSubnet } from './subnets/subnets-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/**
 * Yields the contradictions between subnets and their VPCs, among the subnets of a VPC, and between the counts and free
 * ranges of each subnet and its ports (network.md 4).
 */
export async function* inspectSubnets(reader: Reader): Findings {
  for await (const { id: vpc } of reader.each(vpcCollection)) yield* inspectOverlaps(reader, vpc)
  for await (const { value } of reader.each(subnetCollection)) {
    for (const message of await subnetFaults(reader, value)) yield finding('network.subnets', value.id, message)
    yield* inspectAddresses(reader, value)
  }
  yield* inspectStrayRanges(reader)
}

async function* inspectOverlaps(reader: Reader, vpc_id: string): Findings {
  const seen: StoredSubnet[] = []
  for await (const { value } of reader.each(subnetCollection, { vpc_id })) {
    const block = blockOf(value.cidr_block)
    const other = seen.find(({ cidr_block }) => overlaps(blockOf(cidr_block), block))
    if (other) yield finding('network.subnets', value.id, `overlaps subnet ${other.id} of its VPC, ${other.cidr_block}`)
    seen.push(value)
  }
}

async function subnetFaults(reader: Reader, { cidr_block, region, vpc_id, workspace_id }: StoredSubnet) {
  const vpc = (await reader.get(vpcCollection, vpc_id))?.value
  // `inspectReferences` reports a subnet whose VPC does not exist.
  if (!vpc) return []
  return [
    ...(liesIn(vpc.cidr_blocks, cidr_block) ? [] : [`has the block ${cidr_block}, which lies in no block of its VPC`]),
    ...(region === vpc.region ? [] : [`has the region ${region}; its VPC has the region ${vpc.region}`]),
    ...(workspace_id === vpc.workspace_id ? [] : [`lies in another workspace than its VPC, ${vpc.workspace_id}`]),
  ]
}

/** Yields the faults of the ports, the counts and the free ranges of a subnet. */
async function* inspectAddresses(reader: Reader, subnet: StoredSubnet): Findings {
  const plan = planOf(subnet)
  const taken: number[] = []
  let count = 0
  for await (const { id, value } of reader.each(portCollection, { subnet_id: subnet.id })) {
    count += 1
    const address = parseAddress(value.ip_address) ?? -1
    for (const message of portFaults(subnet, plan, value, address)) yield finding('network.logicalPorts', id, message)
    taken.push(address)
  }
  taken.sort((one, other) => one - other)
  const expected = freeRangesOf(plan, taken)
  const { block } = plan
  const counts = {
    total_addresses: sizeOf(block),
    usable_addresses: usableCount(block),
    allocated_addresses: count,
    available_addresses: openCount(expected),
  } as const
  for (const [member, value] of Object.entries(counts)) {
    const found: unknown = Reflect.get(subnet, member)
    if (found !== value)
      yield finding('network.subnets', subnet.id, `has the ${member} ${String(found)}; it has ${value}`)
  }
  yield* inspectRanges(reader, subnet.id, expected)
}

function portFaults(subnet: StoredSubnet, plan: AddressPlan, port: StoredPort, address: number): readonly string[] {
  const copied = ['vpc_id', 'region', 'workspace_id', 'engine'] as const
  const copies = copied.filter(member => port[member] !== subnet[member])
  const isAssignable = holds(without([plan.block], plan.platform), address)
  return [
    ...copies.map(member => `has the ${member} ${port[member]}; its subnet has the ${member} ${subnet[member]}`),
    ...(isAssignable ? [] : [`has the address ${port.ip_address}, which no port of its subnet may have`]),
    ...(macAddresses(port.id).includes(port.mac_address)
      ? []
      : [`has the MAC address ${port.mac_address}, which does not follow from its id`]),
  ]
}

async function* inspectRanges(reader: Reader, subnet: string, expected: readonly SidedRange[]): Findings {
  const missing = new Map(expected.map(range => [rangeKey(subnet, range.last), range]))
  for await (const { id, value } of reader.each(freeRanges, { subnet_id: subnet })) {
    const range = missing.get(id)
    missing.delete(id)
    if (range && isSame(range, value)) continue
    const message = range
      ? `must be ${rangeText(range)}`
      : 'must not exist, because it is not a whole range of free addresses'
    yield finding('network.freeRanges', id, `is ${rangeText(value)}, and ${message}`)
  }
  for (const range of missing.values())
    yield finding('network.subnets', subnet, `lacks the row of its free range ${rangeText(range)}`)
}

/** Yields a finding for each free range of a subnet that does not exist. */
async function* inspectStrayRanges(reader: Reader): Findings {
  let known = ''
  for await (const { id, value } of reader.each(freeRanges)) {
    // The ranges of one subnet have consecutive ids.
    if (value.subnet_id === known) continue
    if (await reader.get(subnetCollection, value.subnet_id)) known = value.subnet_id
    else yield finding('network.freeRanges', id, `is a range of subnet ${value.subnet_id}, which does not exist`)
  }
}

const isSame = (one: SidedRange, other: FreeRange): boolean =>
  one.first === other.first && one.last === other.last && one.is_reserved === other.is_reserved

const rangeText = ({ first, is_reserved, last }: SidedRange): string =>
  `${formatAddress(first)} to ${formatAddress(last)}, ${is_reserved ? 'reserved' : 'not reserved'}`

const finding = (resourceType: string, id: string, message: string): Finding => ({ resourceType, id, message })
