/**
 * Whether an address belongs to the machine itself: 127.0.0.0/8 or ::1, also in the IPv4-mapped form of a dual-stack
 * listener (RFC 4291 §2.5.5.2).
 */
export function isLoopback(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '')
  return plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain)
}
