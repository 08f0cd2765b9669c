import ipaddr from 'ipaddr.js'

/** A range of IPv4 addresses as unsigned 32-bit integers, both ends included. */
export interface Ipv4Range {
  readonly first: number
  readonly last: number
}

/** A block of IPv4 addresses. */
export interface Ipv4Block extends Ipv4Range {
  /** The length of the prefix, 0 to 32. */
  readonly prefix: number
  /** Whether the text named the first address of the block: `10.0.0.0/24`, not `10.0.0.5/24`. */
  readonly isCanonical: boolean
}

/** Parses a dotted decimal address to an unsigned 32-bit integer; returns undefined for any other text. */
export function parseAddress(text: string): number | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text)) return undefined
  return ipaddr.IPv4.parse(text).octets.reduce((value, octet) => value * 256 + octet, 0)
}

/** Returns an address as four decimal parts, joined by dots. */
export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.')

/** Parses a CIDR block such as `10.0.0.0/24`; returns undefined for any other text. */
export function parseBlock(text: string): Ipv4Block | undefined {
  const [, base = '', length = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? []
  const address = parseAddress(base)
  const prefix = Number(length)
  if (address === undefined || length === '' || prefix > 32) return undefined
  const size = 2 ** (32 - prefix)
  const first = address - (address % size)
  return { first, last: first + size - 1, prefix, isCanonical: address === first }
}

/** Returns the number of addresses in a range. */
export const sizeOf = ({ first, last }: Ipv4Range): number => last - first + 1

/** Returns whether two ranges share an address. */
export const overlaps = (one: Ipv4Range, other: Ipv4Range): boolean =>
  one.first <= other.last && other.first <= one.last

/** Returns whether all addresses of `inner` lie in `outer`. */
export const contains = (outer: Ipv4Range, inner: Ipv4Range): boolean =>
  outer.first <= inner.first && inner.last <= outer.last
