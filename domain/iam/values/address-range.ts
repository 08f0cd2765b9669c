import ipaddr from 'ipaddr.js'

/**
 * An address in words of 32 bits: one word for IPv4, four words for IPv6. An IPv4 address that is mapped into IPv6
 * counts as IPv4.
 */
export type IpAddress = readonly number[]

/** A range of addresses whose first bits equal the bits of `first`; for a single address, these are all bits. */
export interface AddressRange {
  /** The shared first bits; all further bits are 0. */
  readonly first: IpAddress
  readonly masks: readonly number[]
}

/**
 * Parses an address or a range in CIDR notation; returns undefined for any other text. An IPv4 address must have four
 * decimal parts.
 */
export function addressRange(text: string): AddressRange | undefined {
  const [address = '', prefix] = text.split('/')
  const first = addressOf(address)
  if (first === undefined || text.split('/').length > 2) return undefined
  const most = first.length * 32
  if (prefix === undefined) return rangeOf(first, most)
  if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix)) return undefined
  // In IPv6 notation, the prefix length of a mapped IPv4 range includes the 96 bits before the IPv4 address.
  const bits = Number(prefix) - (most === 32 && address.includes(':') ? 96 : 0)
  return bits >= 0 && bits <= most ? rangeOf(first, bits) : undefined
}

function rangeOf(address: IpAddress, bits: number): AddressRange {
  const masks = address.map((_, i) => maskOf(Math.min(32, Math.max(0, bits - i * 32))))
  return { first: address.map((word, i) => word & (masks[i] ?? 0)), masks }
}

/**
 * Returns the mask of the first `bits` bits of a word. Zero is a special case, because JavaScript ignores a shift by
 * 32.
 */
const maskOf = (bits: number): number => (bits === 0 ? 0 : -1 << (32 - bits))

export function isWithin(address: IpAddress, { first, masks }: AddressRange): boolean {
  if (address.length !== first.length) return false
  for (let i = 0; i < first.length; i += 1) if (((address[i] ?? 0) & (masks[i] ?? 0)) !== first[i]) return false
  return true
}

/** Parses an address of a client as the server receives the address; returns undefined for any other text. */
export function addressOf(text: string): IpAddress | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
  const bytes = ipaddr.process(text).toByteArray()
  return Array.from({ length: bytes.length / 4 }, (_, i) =>
    bytes.slice(i * 4, i * 4 + 4).reduce((word, byte) => (word << 8) | byte, 0),
  )
}
