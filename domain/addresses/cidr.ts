import ipaddr from 'ipaddr.js'

/** A network of IPv4 or IPv6 addresses. */
export interface Cidr {
  /** Returns whether an address lies in the network. An IPv4 address that is mapped into IPv6 counts as IPv4. */
  contains(address: string): boolean
}

/** Parses a network such as `192.0.2.0/24` or `2001:db8::/32`; returns undefined for any other text. */
export function parseCidr(text: string): Cidr | undefined {
  const isNetwork = text.includes(':') ? ipaddr.IPv6.isValidCIDR(text) : ipaddr.IPv4.isValidCIDRFourPartDecimal(text)
  if (!isNetwork) return undefined
  const [base, bits] = ipaddr.parseCIDR(text)
  return {
    contains(address) {
      if (!ipaddr.isValid(address)) return false
      const parsed = ipaddr.process(address)
      return parsed.kind() === base.kind() && parsed.match(base, bits)
    },
  }
}
