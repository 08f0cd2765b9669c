import ipaddr from 'ipaddr.js'

/** A block of IPv4 addresses as unsigned 32-bit integers, both ends included. */
export interface Ipv4Block {
  readonly first: number
  readonly last: number
  /** The length of the prefix, 0 to 32. */
  readonly prefix: number
  /** Whether the text named the first address: `10.0.0.0/24`, not `10.0.0.5/24`. */
  readonly isCanonical: boolean
}

/** Parses an address to an unsigned 32-bit integer; returns undefined for text that is not four decimal parts. */
export function parseAddress(text: string): number | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text)) return undefined
  return ipaddr.IPv4.parse(text).octets.reduce((value, octet) => value * 256 + octet, 0)
}

/** Prints an address. */
export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.')

/** Parses a CIDR block; returns undefined for other text. */
export function parseBlock(text: string): Ipv4Block | undefined {
  const [, base = '', length = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? []
  const address = parseAddress(base)
  const prefix = Number(length)
  if (address === undefined || length === '' || prefix > 32) return undefined
  const size = 2 ** (32 - prefix)
  const first = address - (address % size)
  return { first, last: first + size - 1, prefix, isCanonical: address === first }
}

/** Returns the number of addresses in a block. */
export const sizeOf = ({ first, last }: Ipv4Block): number => last - first + 1

/** Whether two blocks share an address. */
export const overlaps = (one: Ipv4Block, other: Ipv4Block): boolean =>
  one.first <= other.last && other.first <= one.last

/** Whether all addresses of `inner` lie in `outer`. */
export const contains = (outer: Ipv4Block, inner: Pick<Ipv4Block, 'first' | 'last'>): boolean =>
  outer.first <= inner.first && inner.last <= outer.last
