import ipaddr from 'ipaddr.js'

/**
 * Returns the /24 network of an IPv4 address or the /64 network of an IPv6 address; an empty text if the text is not an
 * address. An IPv4 address that is mapped into IPv6 counts as IPv4.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return ''
  const parsed = ipaddr.process(address)
  const isIpv4 = parsed.kind() === 'ipv4'
  const prefix = isIpv4 ? 24 : 64
  const bytes = parsed.toByteArray().map((byte, i) => (i < prefix / 8 ? byte : 0))
  return `${ipaddr.fromByteArray(bytes).toString()}/${prefix}`
}
