import { createHash } from 'node:crypto'

/** The number of bytes that follow the first byte of a MAC address. */
const length = 5

/**
 * Returns the MAC addresses that a port may have, in the order of preference (network.md 1). Each address is `02`, for
 * a locally administered address, and then five bytes of the SHA-256 of the port's id: the first five bytes for the
 * first address, the next five for the second, and so on.
 */
export function macAddresses(portId: string): readonly string[] {
  const digest = createHash('sha256').update(portId).digest('hex')
  const starts = Array.from({ length: Math.floor(digest.length / (2 * length)) }, (_, i) => i * 2 * length)
  return starts.map(start => `02${digest.slice(start, start + 2 * length)}`.replace(/..(?=.)/g, '$&:'))
}
