import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.process>

/** Addresses that agree in their first `bits` bits; one alone agrees in all. */
export interface AddressRange {
  readonly first: Address
  readonly bits: number
}

/** Reads an address or a range in CIDR notation; undefined when it is neither. IPv4 has its four decimal parts. */
export function addressRange(text: string): AddressRange | undefined {
  const [address = '', prefix] = text.split('/')
  const first = addressOf(address)
  if (first === undefined || text.split('/').length > 2) return undefined
  const most = first.kind() === 'ipv4' ? 32 : 128
  if (prefix === undefined) return { first, bits: most }
  if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix)) return undefined
  // An IPv4 address that was written as IPv6 has its prefix counted from there.
  const bits = Number(prefix) - (first.kind() === 'ipv4' && address.includes(':') ? 96 : 0)
  return bits >= 0 && bits <= most ? { first, bits } : undefined
}

/** Whether an address, as hosts write it, lies in a range; undefined when it is none. */
export function isWithin(text: string, { bits, first }: AddressRange): boolean | undefined {
  const address = addressOf(text)
  return address && address.kind() === first.kind() && address.match(first, bits)
}

/** IPv4 addresses that are mapped into IPv6 are IPv4 addresses. */
function addressOf(text: string): Address | undefined {
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
  return isAddress ? ipaddr.process(text) : undefined
}
