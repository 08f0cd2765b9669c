import type { AddressRange } from '../../../output/network/types.ts'
import {
  formatAddress,
  parseAddress,
  parseBlock,
  sizeOf,
  type Ipv4Block,
  type Ipv4Range,
} from '../../addresses/ipv4.ts'
import { sided, sorted, without, type SidedRange } from './address-ranges.ts'

/** The members of a subnet from which its address plan follows. */
export interface PlannedSubnet {
  readonly cidr_block: string
  readonly gateway_address: string
  readonly reserved_ranges: readonly AddressRange[]
}

/** The addresses of a subnet by their use (network.md 1). */
export interface AddressPlan {
  readonly block: Ipv4Block
  /** The addresses of the platform, sorted: the first, the gateway, the next-to-last and the last. */
  readonly platform: readonly Ipv4Range[]
  /** The reserved ranges, sorted. */
  readonly reserved: readonly Ipv4Range[]
}

/** Returns the plan of a valid subnet. Throws if the block or an address cannot be parsed. */
export function planOf({ cidr_block, gateway_address, reserved_ranges }: PlannedSubnet): AddressPlan {
  const block = blockOf(cidr_block)
  const { first, last } = block
  const platform = [first, addressOf(gateway_address), last - 1, last]
  return {
    block,
    platform: sorted(platform.map(address => ({ first: address, last: address }))),
    reserved: sorted(reserved_ranges.map(rangeOf)),
  }
}

/** Returns the free ranges of a subnet, given the sorted addresses of its ports. */
export function freeRangesOf(
  { block, platform, reserved }: AddressPlan,
  taken: readonly number[] = [],
): readonly SidedRange[] {
  const assignable = without([block], platform)
  return sided(
    without(
      assignable,
      taken.map(address => ({ first: address, last: address })),
    ),
    reserved,
  )
}

/** Returns the number of addresses that ports can have: all except the four addresses of the platform. */
export const usableCount = (block: Ipv4Block): number => sizeOf(block) - 4

/** Returns the default gateway of a subnet, the second address of its block; empty if `cidr` is no block. */
export function defaultGateway(cidr: string): string {
  const block = parseBlock(cidr)
  return block ? formatAddress(block.first + 1) : ''
}

/** Returns a valid reserved range as numbers. A range without an end is a single address. */
export const rangeOf = ({ end, start }: AddressRange): Ipv4Range => ({
  first: addressOf(start),
  last: addressOf(end ?? start),
})

/** Parses the block of a valid subnet or VPC. Throws if the text is no block. */
export function blockOf(text: string): Ipv4Block {
  const block = parseBlock(text)
  if (!block) throw new Error(`"${text.slice(0, 80)}" is no block of addresses`)
  return block
}

/** Parses the address of a valid subnet or port. Throws if the text is no address. */
export function addressOf(text: string): number {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(`"${text.slice(0, 80)}" is no address`)
  return address
}
