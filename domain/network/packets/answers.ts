import { write16, write32 } from './bytes.ts'
import { checksumOf, sumOf } from './checksum.ts'
import { ethernetBytes, icmpTypes, ipProtocols, ipv4Bytes, type Ipv4Packet } from './ipv4-packet.ts'
import { writeMac, type Mac } from './mac.ts'

/** The ends of an answer of the switch. Addresses are signed 32-bit integers. */
export interface AnswerEnds {
  readonly source: number
  readonly sourceMac: Mac
  readonly destination: number
  readonly destinationMac: Mac
}

const udpBytes = 8
/** The offset of the content of a UDP packet in its frame. */
export const udpContent: number = ethernetBytes + ipv4Bytes + udpBytes
/** The length of the header of a DNS message. */
const dnsBytes = 12

/** Writes the Ethernet and IPv4 headers of an answer whose content behind them has `length` bytes. */
function writeHeaders(into: Uint8Array, ends: AnswerEnds, protocol: number, length: number): void {
  writeMac(into, 0, ends.destinationMac)
  writeMac(into, 6, ends.sourceMac)
  write16(into, 12, 0x0800)
  write16(into, 14, 0x4500)
  write16(into, 16, ipv4Bytes + length)
  write32(into, 18, 0)
  write16(into, 22, (64 << 8) | protocol)
  write16(into, 24, 0)
  write32(into, 26, ends.source)
  write32(into, 30, ends.destination)
  write16(into, 24, checksumOf(into, ethernetBytes, ethernetBytes + ipv4Bytes))
}

/**
 * Writes the headers of a UDP answer whose content of `length` bytes stands at `udpContent` already, and returns the
 * length of the frame.
 */
export function writeUdp(
  into: Uint8Array,
  ends: AnswerEnds,
  ports: { readonly from: number; readonly to: number },
  length: number,
): number {
  const end = udpContent + length
  const start = ethernetBytes + ipv4Bytes
  writeHeaders(into, ends, ipProtocols.UDP, udpBytes + length)
  write16(into, start, ports.from)
  write16(into, start + 2, ports.to)
  write16(into, start + 4, udpBytes + length)
  write16(into, start + 6, 0)
  const pseudoHeader = sumOf(into, 26, 34, ipProtocols.UDP + udpBytes + length)
  // A checksum of 0 means that the sender has computed none, so the other representation of 0 is sent (RFC 768).
  write16(into, start + 6, checksumOf(into, start, end, pseudoHeader) || 0xffff)
  return end
}

/** Writes the reply to an echo request, and returns the length of the frame. */
export function writeEchoReply(into: Uint8Array, ends: AnswerEnds, bytes: Uint8Array, request: Ipv4Packet): number {
  const start = ethernetBytes + ipv4Bytes
  const length = request.end - request.content
  writeHeaders(into, ends, ipProtocols.ICMP, length)
  into.set(bytes.subarray(request.content, request.end), start)
  write16(into, start, icmpTypes.ECHO_REPLY << 8)
  write16(into, start + 2, 0)
  write16(into, start + 2, checksumOf(into, start, start + length))
  return start + length
}

/**
 * Writes the answer REFUSED to a DNS query, without its records, and returns the length of the frame; returns 0 if the
 * message is no query. The identifier and the kind of the query are repeated (RFC 1035).
 */
export function writeDnsRefusal(into: Uint8Array, ends: AnswerEnds, bytes: Uint8Array, query: Ipv4Packet): number {
  const start = query.content + udpBytes
  const flags = bytes[start + 2] ?? 0
  if (query.end - start < dnsBytes || (flags & 0x80) !== 0) return 0
  into.fill(0, udpContent, udpContent + dnsBytes)
  into.set(bytes.subarray(start, start + 2), udpContent)
  into[udpContent + 2] = 0x80 | (flags & 0x79)
  into[udpContent + 3] = 5
  return writeUdp(into, ends, { from: 53, to: query.sourcePort }, dnsBytes)
}
