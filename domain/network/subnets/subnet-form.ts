import { subnetCidrInvalid, subnetGatewayInvalid, subnetReservedRangeInvalid } from '../../../output/network/errors.ts'
import type { AddressRange, Subnet } from '../../../output/network/types.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { contains, overlaps, parseAddress, parseBlock, type Ipv4Block, type Ipv4Range } from '../../addresses/ipv4.ts'
import { rangeOf } from './address-plan.ts'

/**
 * Checks the members of a new subnet that need no row (conventions §4, step 5): the block, and the gateway and the
 * reserved ranges within the block. Throws SUBNET_CIDR_INVALID, SUBNET_GATEWAY_INVALID or SUBNET_RESERVED_RANGE_INVALID
 * at the field.
 */
export function requireForm({
  cidr_block,
  gateway_address,
  reserved_ranges,
}: Pick<Subnet, 'cidr_block' | 'gateway_address' | 'reserved_ranges'>): void {
  const block = requireBlock(cidr_block)
  if (gateway_address !== undefined) requireGateway(block, gateway_address)
  requireDisjoint(reserved_ranges)
  requireWithin(block, reserved_ranges)
}

/** Throws SUBNET_RESERVED_RANGE_INVALID at the first reserved range that does not lie in the block. */
export function requireWithin(block: Ipv4Range, ranges: readonly AddressRange[]): void {
  for (const [i, range] of ranges.entries()) {
    if (!contains(block, rangeOf(range))) throw rangeFault(i, range, 'is not in the subnet')
  }
}

/** Returns reserved ranges with their ends: a range without an end consists of its first address. */
export const withEnds = (ranges: readonly AddressRange[]): AddressRange[] =>
  ranges.map(({ end, start }) => ({ start, end: end ?? start }))

function requireBlock(text: string): Ipv4Block {
  const block = parseBlock(text)
  const fault = block ? blockFault(block) : 'is no block of IPv4 addresses'
  if (!block || fault !== undefined) throw faultAt(subnetCidrInvalid, 'cidr_block', `${text} ${fault}`)
  return block
}

function blockFault({ isCanonical, prefix }: Ipv4Block): string | undefined {
  if (!isCanonical) return 'has host bits; name the first address of the block'
  return prefix > 29 ? 'is smaller than /29, the smallest subnet' : undefined
}

function requireGateway({ first, last }: Ipv4Block, text: string): void {
  const address = parseAddress(text) ?? -1
  if (address > first && address < last - 1) return
  const fault = address < first || address > last ? 'is not in the subnet' : 'is kept for the platform'
  const message = `gateway ${text} ${fault}; choose an address between the first and the last two`
  throw faultAt(subnetGatewayInvalid, 'gateway_address', message)
}

/** Throws SUBNET_RESERVED_RANGE_INVALID at the first range that ends before it starts or overlaps an earlier one. */
export function requireDisjoint(ranges: readonly AddressRange[]): void {
  const seen: Ipv4Range[] = []
  for (const [i, range] of ranges.entries()) {
    const next = rangeOf(range)
    if (next.last < next.first) throw rangeFault(i, range, 'ends before it starts')
    if (seen.some(other => overlaps(other, next))) throw rangeFault(i, range, 'overlaps another range')
    seen.push(next)
  }
}

function rangeFault(i: number, { end, start }: AddressRange, fault: string): Error {
  const message = `reserved range ${start} to ${end ?? start} ${fault}`
  return faultAt(subnetReservedRangeInvalid, `reserved_ranges[${i}]`, message)
}
