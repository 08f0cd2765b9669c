import { read16, read32, write16, write32 } from './bytes.ts'
import { ethernetBytes } from './ipv4-packet.ts'
import { hasMac, writeMac, type Mac } from './mac.ts'
import type { SwitchedPort } from './switched-vpc.ts'

/** The length of an ARP packet for Ethernet and IPv4 (RFC 826). */
const arpBytes = 28
/** The first 6 bytes of each such packet: Ethernet, IPv4, and the lengths of their addresses. */
const ethernetAndIpv4 = { high: 0x0001, low: 0x0800_0604 } satisfies Mac
const operations = { REQUEST: 1, REPLY: 2 } as const

/** The offsets of the members of an ARP packet in its frame. */
const at = {
  form: ethernetBytes,
  operation: ethernetBytes + 6,
  senderMac: ethernetBytes + 8,
  sender: ethernetBytes + 14,
  targetMac: ethernetBytes + 18,
  target: ethernetBytes + 24,
} as const

/** An ARP request for the MAC address of an IPv4 address. */
export type ArpRequest = { readonly kind: 'request'; readonly target: number }

/**
 * Reads an ARP packet of a port; the frame starts at 0. The sender must be the port. An unset IPv4 address of the sender
 * is permitted, because hosts probe whether their address is free (RFC 5227).
 */
export function readArp(
  frame: Uint8Array,
  { address, mac }: Pick<SwitchedPort, 'address' | 'mac'>,
): ArpRequest | 'malformed' | 'arp_sender' | 'arp_unanswered' {
  if (frame.length < ethernetBytes + arpBytes || !hasMac(frame, at.form, ethernetAndIpv4)) return 'malformed'
  const sender = read32(frame, at.sender)
  if (!hasMac(frame, at.senderMac, mac) || (sender !== address && sender !== 0)) return 'arp_sender'
  const isRequest = read16(frame, at.operation) === operations.REQUEST
  return isRequest ? { kind: 'request', target: read32(frame, at.target) } : 'arp_unanswered'
}

/** Writes the reply to a request of a port, and returns its length. `owner` is the MAC address of the target. */
export function writeArpReply(
  into: Uint8Array,
  { address, mac }: Pick<SwitchedPort, 'address' | 'mac'>,
  target: number,
  owner: Mac,
): number {
  writeMac(into, 0, mac)
  writeMac(into, 6, owner)
  write16(into, 12, 0x0806)
  writeMac(into, at.form, ethernetAndIpv4)
  write16(into, at.operation, operations.REPLY)
  writeMac(into, at.senderMac, owner)
  write32(into, at.sender, target)
  writeMac(into, at.targetMac, mac)
  write32(into, at.target, address)
  return ethernetBytes + arpBytes
}
