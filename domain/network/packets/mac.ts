import { createHash } from 'node:crypto'
import { read16, read32, write16, write32 } from './bytes.ts'

/** A MAC address as two integers, so that the comparison of two addresses allocates nothing. */
export interface Mac {
  /** The first two bytes. */
  readonly high: number
  /** The last four bytes, as a signed integer. */
  readonly low: number
}

/** The length of a MAC address in bytes. */
export const macBytes = 6

/** The address of all devices of a network. */
export const broadcastMac: Mac = { high: 0xffff, low: -1 }

/** Parses six hexadecimal bytes, joined by colons. Bytes that are not hexadecimal count as 0. */
export function parseMac(text: string): Mac {
  const bytes = Uint8Array.from({ length: macBytes }, (_, i) => Number.parseInt(text.slice(i * 3, i * 3 + 2), 16))
  return { high: read16(bytes, 0), low: read32(bytes, 2) }
}

/** Returns whether a frame has an address at an offset. */
export const hasMac = (bytes: Uint8Array, at: number, { high, low }: Mac): boolean =>
  read32(bytes, at + 2) === low && read16(bytes, at) === high

/** Writes an address into a frame. */
export function writeMac(bytes: Uint8Array, at: number, { high, low }: Mac): void {
  write16(bytes, at, high)
  write32(bytes, at + 2, low)
}

/**
 * Returns the MAC address of the gateway of a subnet: `06` and the first five bytes of the SHA-256 of the subnet's id.
 * Ports have addresses that begin with `02`, so the gateway shares no address with a port. The address is the same
 * after a restart, because guests keep it in their ARP caches.
 */
export function gatewayMac(subnetId: string): Mac {
  const digest = createHash('sha256').update(subnetId).digest()
  return { high: 0x0600 | (digest[0] ?? 0), low: read32(digest, 1) }
}
