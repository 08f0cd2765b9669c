import ipaddr from 'ipaddr.js'

/** An address in words of 32 bits: one of IPv4, four of IPv6. IPv4 addresses that are mapped into IPv6 are IPv4 addresses. */
export type Address = readonly number[]

/** Addresses that agree in their first bits; one alone agrees in all. */
export interface AddressRange {
  /** What they agree in; all other bits are 0. */
  readonly first: Address
  readonly masks: readonly number[]
}

/** Reads an address or a range in CIDR notation; undefined when it is neither. IPv4 has its four decimal parts. */
export function addressRange(text: string): AddressRange | undefined {
  const [address = '', prefix] = text.split('/')
  const first = addressOf(address)
  if (first === undefined || text.split('/').length > 2) return undefined
  const most = first.length * 32
  if (prefix === undefined) return rangeOf(first, most)
  if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix)) return undefined
  // An IPv4 address that was written as IPv6 has its prefix counted from there.
  const bits = Number(prefix) - (most === 32 && address.includes(':') ? 96 : 0)
  return bits >= 0 && bits <= most ? rangeOf(first, bits) : undefined
}

function rangeOf(address: Address, bits: number): AddressRange {
  const masks = address.map((_, i) => maskOf(Math.min(32, Math.max(0, bits - i * 32))))
  return { first: address.map((word, i) => word & (masks[i] ?? 0)), masks }
}

/** A shift by 32 bits shifts nothing. */
const maskOf = (bits: number): number => (bits === 0 ? 0 : -1 << (32 - bits))

export function isWithin(address: Address, { first, masks }: AddressRange): boolean {
  if (address.length !== first.length) return false
  for (let i = 0; i < first.length; i += 1) if (((address[i] ?? 0) & (masks[i] ?? 0)) !== first[i]) return false
  return true
}

/** An address as hosts write it; undefined when it is none. */
export function addressOf(text: string): Address | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
  const bytes = ipaddr.process(text).toByteArray()
  return Array.from({ length: bytes.length / 4 }, (_, i) =>
    bytes.slice(i * 4, i * 4 + 4).reduce((word, byte) => (word << 8) | byte, 0),
  )
}
