import ipaddr from 'ipaddr.js'

/**
 * Returns the /24 or /64 network of an address; an empty text for other text. An IPv4 address in IPv6 counts as IPv4.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return ''
  const parsed = ipaddr.process(address)
  const isIpv4 = parsed.kind() === 'ipv4'
  const prefix = isIpv4 ? 24 : 64
  const bytes = parsed.toByteArray().map((byte, i) => (i < prefix / 8 ? byte : 0))
  return `${ipaddr.fromByteArray(bytes).toString()}/${prefix}`
}
