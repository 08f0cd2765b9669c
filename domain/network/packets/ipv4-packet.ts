import type { PacketProtocol } from '../firewall/port-ranges.ts'
import { read16, read32 } from './bytes.ts'
import { sumOf } from './checksum.ts'
import type { DropReason } from './packet-counts.ts'

/** The length of an Ethernet header: the destination, the source, and the type of the content. */
export const ethernetBytes = 14
/** The length of an IPv4 header without options. */
export const ipv4Bytes = 20

/** The protocol numbers of IPv4 (RFC 5237). */
export const ipProtocols = { ICMP: 1, TCP: 6, UDP: 17 } as const

/** The flags of TCP that the switch reads. */
export const tcpFlags = { FIN: 1, SYN: 2, RST: 4 } as const

/** The types of ICMP that the switch reads (RFC 792). */
export const icmpTypes = { ECHO_REPLY: 0, UNREACHABLE: 3, ECHO: 8, TIME_EXCEEDED: 11, PARAMETER_PROBLEM: 12 } as const

/**
 * The headers of an IPv4 packet. The switch keeps one object and reads each packet into it, so that a packet allocates
 * nothing. Addresses are signed 32-bit integers.
 */
export class Ipv4Packet {
  source = 0
  destination = 0
  /** The protocol number. */
  number = 0
  protocol: PacketProtocol = 'OTHER'
  ttl = 0
  /** The offset of the content behind the IPv4 header, and the offset of its end. */
  content = 0
  end = 0
  /** The ports of TCP and UDP; 0 for other protocols. */
  sourcePort = 0
  destinationPort = 0
  /** The flags of TCP; 0 for other protocols. */
  flags = 0
  /** The type of ICMP; 0 for other protocols. */
  icmpType = 0

  /**
   * Reads the packet at `at`, whose frame ends at `end`. Returns the reason to drop the packet; undefined if the packet
   * is sound. Frames may have padding behind the packet.
   */
  read(bytes: Uint8Array, at: number, end: number): DropReason | undefined {
    if (end - at < ipv4Bytes) return 'malformed'
    const version = bytes[at] ?? 0
    const length = read16(bytes, at + 2)
    if (version >>> 4 !== 4 || (version & 15) < 5 || length < (version & 15) * 4 || at + length > end)
      return 'malformed'
    if (sumOf(bytes, at, at + (version & 15) * 4) !== 0xffff) return 'malformed'
    if ((version & 15) > 5) return 'ip_options'
    if ((read16(bytes, at + 6) & 0x3fff) !== 0) return 'fragment'
    this.ttl = bytes[at + 8] ?? 0
    this.source = read32(bytes, at + 12)
    this.destination = read32(bytes, at + 16)
    this.content = at + ipv4Bytes
    this.end = at + length
    return this.#readContent(bytes, bytes[at + 9] ?? 0)
  }

  /** The destination port of TCP and UDP, the type of ICMP, 0 for other protocols. */
  get selector(): number {
    return this.protocol === 'ICMP' ? this.icmpType : this.destinationPort
  }

  #readContent(bytes: Uint8Array, number: number): DropReason | undefined {
    const { content, end } = this
    this.number = number
    this.protocol = protocolOf(number)
    this.sourcePort = 0
    this.destinationPort = 0
    this.flags = 0
    this.icmpType = 0
    if (end - content < minimalBytes[this.protocol]) return 'malformed'
    if (this.protocol === 'ICMP') this.icmpType = bytes[content] ?? 0
    if (this.protocol !== 'TCP' && this.protocol !== 'UDP') return undefined
    this.sourcePort = read16(bytes, content)
    this.destinationPort = read16(bytes, content + 2)
    if (this.protocol === 'TCP') this.flags = bytes[content + 13] ?? 0
    else if (!isUdpLength(read16(bytes, content + 4), end - content)) return 'malformed'
    return undefined
  }
}

const isUdpLength = (length: number, room: number): boolean => length >= minimalBytes.UDP && length <= room

/** The lengths of the shortest headers behind the IPv4 header. */
const minimalBytes: Readonly<Record<PacketProtocol, number>> = { TCP: 20, UDP: 8, ICMP: 8, OTHER: 0 }

/** Returns the protocol by which rules match a protocol number. */
function protocolOf(number: number): PacketProtocol {
  if (number === ipProtocols.TCP) return 'TCP'
  if (number === ipProtocols.UDP) return 'UDP'
  return number === ipProtocols.ICMP ? 'ICMP' : 'OTHER'
}
