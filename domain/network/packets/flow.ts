import { read16, read32 } from './bytes.ts'
import { icmpTypes, ipv4Bytes, type Ipv4Packet } from './ipv4-packet.ts'

/**
 * The two ends of a connection, as the sender of a packet sees them. The switch keeps one object for each use, and
 * fills it anew for each packet.
 */
export class Flow {
  /** The number of the VPC. Two VPCs may use the same addresses. */
  vpc = 0
  /** The protocol number of IPv4. */
  number = 0
  source = 0
  sourcePort = 0
  destination = 0
  destinationPort = 0

  /**
   * Reads the flow of a packet; returns false if the switch keeps no connection for the packet. An echo request has the
   * ports (identifier, 0) and its reply the ports (0, identifier), so an echo request in the other direction is another
   * connection. Other packets of ICMP have no connection.
   */
  read(vpc: number, bytes: Uint8Array, packet: Ipv4Packet): boolean {
    this.vpc = vpc
    this.number = packet.number
    this.source = packet.source
    this.destination = packet.destination
    this.sourcePort = packet.sourcePort
    this.destinationPort = packet.destinationPort
    if (packet.protocol !== 'ICMP') return true
    return this.#readEcho(packet.icmpType, read16(bytes, packet.content + 4))
  }

  /**
   * Reads the flow of the packet that an ICMP error quotes; returns false if the packet is no error, or if the quoted
   * packet did not come from the destination of the error. The quoted packet has its header and at least 8 bytes.
   */
  readQuoted(vpc: number, bytes: Uint8Array, { content, destination, end, icmpType }: Ipv4Packet): boolean {
    const at = content + 8
    if (!errorTypes.has(icmpType) || end - at < ipv4Bytes + 8 || bytes[at] !== 0x45) return false
    this.vpc = vpc
    this.number = bytes[at + 9] ?? 0
    this.source = read32(bytes, at + 12)
    this.destination = read32(bytes, at + 16)
    if (this.source !== destination) return false
    const quoted = at + ipv4Bytes
    this.sourcePort = 0
    this.destinationPort = 0
    if (this.number === 1) return this.#readEcho(bytes[quoted] ?? 0, read16(bytes, quoted + 4))
    if (this.number !== 6 && this.number !== 17) return true
    this.sourcePort = read16(bytes, quoted)
    this.destinationPort = read16(bytes, quoted + 2)
    return true
  }

  #readEcho(type: number, identifier: number): boolean {
    this.sourcePort = type === icmpTypes.ECHO ? identifier : 0
    this.destinationPort = type === icmpTypes.ECHO_REPLY ? identifier : 0
    return type === icmpTypes.ECHO || type === icmpTypes.ECHO_REPLY
  }
}

/** The types of ICMP errors about a packet that the sender of the error has received. */
const errorTypes: ReadonlySet<number> = new Set([
  icmpTypes.UNREACHABLE,
  icmpTypes.TIME_EXCEEDED,
  icmpTypes.PARAMETER_PROBLEM,
])
