import type { FirewallDirectionInput } from '../../../output/network/types.ts'
import type { ConnectionRecord } from './connection-record.ts'
import { none, type ConnectionTable } from './connections.ts'
import { Flow } from './flow.ts'
import { icmpTypes, tcpFlags, type Ipv4Packet } from './ipv4-packet.ts'
import type { DropReason } from './packet-counts.ts'
import type { SwitchedPort, SwitchedVpc } from './switched-vpc.ts'

/** The VPC of a packet, the ports at both of its ends, and the place of its sender in the connection table. */
export interface PacketWay {
  readonly vpc: SwitchedVpc
  /** The number of the VPC in the connection table. */
  readonly vpcNumber: number
  /** The number of the current rules: each change of the VPC has a higher number. */
  readonly generation: number
  readonly source: SwitchedPort
  /** The port at the destination; undefined for a service of the switch. */
  readonly destination?: SwitchedPort | undefined
  /** The number of the sender, which owns the connection that the packet may begin. */
  readonly owner: number
}

const ingress = 'NETWORK_FIREWALL_DIRECTION_INGRESS'
const egress = 'NETWORK_FIREWALL_DIRECTION_EGRESS'

/**
 * The firewall with its connections (network.md 4 and 6). A packet of a connection passes in both directions. The first
 * packet of a connection needs the consent of two verdicts: egress of its sender, then ingress of its receiver. After a
 * change of the VPC, the next packet of each connection is judged as the first packet would be, so a changed rule ends
 * the connections that it denies.
 */
export class FirewallState {
  readonly #connections: ConnectionTable
  readonly #log: ((record: ConnectionRecord) => void) | undefined
  readonly #flow = new Flow()

  /** `log` receives the new connections that a rule with `log` has matched. */
  constructor(connections: ConnectionTable, log?: (record: ConnectionRecord) => void) {
    this.#connections = connections
    this.#log = log
  }

  /** Returns the reason to drop a packet between two ports; undefined if the packet may pass. */
  judge(way: PacketWay, bytes: Uint8Array, packet: Ipv4Packet, now: number): DropReason | undefined {
    const flow = this.#flow
    if (!flow.read(way.vpcNumber, bytes, packet)) {
      if (this.#isError(way, bytes, packet, now)) return undefined
      return this.#judgeFirst(way, packet)
    }
    const connection = this.#connections.find(flow, now)
    if (connection === none) return this.#begin(way, packet, now)
    if (this.#connections.generationOf(connection) !== way.generation) {
      const denied = this.#judgeAgain(connection, way, packet)
      if (denied !== undefined) return denied
    }
    this.#connections.touch(connection, packet.flags, now)
    return undefined
  }

  /** Returns the reason to drop a packet to a service of the switch, which keeps no connections. */
  judgeToService(way: PacketWay, packet: Ipv4Packet): DropReason | undefined {
    return this.#isAllowed(way, packet, egress) ? undefined : 'firewall_egress'
  }

  #begin(way: PacketWay, packet: Ipv4Packet, now: number): DropReason | undefined {
    const denied = this.#judgeFirst(way, packet)
    if (denied !== undefined) return denied
    // A reset or a lone echo reply is the last packet of its connection.
    const isLast = (packet.flags & tcpFlags.RST) !== 0
    const isReply = packet.protocol === 'ICMP' && packet.icmpType === icmpTypes.ECHO_REPLY
    if (isLast || isReply) return undefined
    this.#connections.add(this.#flow, way.owner, way.generation, now)
    return undefined
  }

  #judgeFirst(way: PacketWay, packet: Ipv4Packet): DropReason | undefined {
    if (!this.#isAllowed(way, packet, egress)) return 'firewall_egress'
    return this.#isAllowed(way, packet, ingress) ? undefined : 'firewall_ingress'
  }

  /**
   * Judges a connection by changed rules, as its first packet would be judged, and removes the connection if the rules
   * deny it now.
   */
  #judgeAgain(connection: number, way: PacketWay, packet: Ipv4Packet): DropReason | undefined {
    const { destination, source, vpc } = way
    const isForward = this.#connections.isBegunBySource(connection)
    const { protocol, selector } = firstPacketOf(packet, isForward)
    const [first, second] = isForward ? [source, destination] : [destination, source]
    if (first === undefined || second === undefined) return 'no_destination'
    const out = vpc.rules[egress].match(first, second.address >>> 0, protocol, selector)
    const into = vpc.rules[ingress].match(second, first.address >>> 0, protocol, selector)
    this.#connections.allow(connection, way.generation)
    if (out.action === 'NETWORK_FIREWALL_ACTION_ALLOW' && into.action === 'NETWORK_FIREWALL_ACTION_ALLOW')
      return undefined
    this.#connections.remove(connection)
    return out.action === 'NETWORK_FIREWALL_ACTION_ALLOW' ? 'firewall_ingress' : 'firewall_egress'
  }

  /** Returns whether a packet is an ICMP error about a packet of a connection, which passes as a reply does. */
  #isError(way: PacketWay, bytes: Uint8Array, packet: Ipv4Packet, now: number): boolean {
    const flow = this.#flow
    if (!flow.readQuoted(way.vpcNumber, bytes, packet)) return false
    if (flow.destination !== packet.source) return false
    const connection = this.#connections.find(flow, now)
    return connection !== none && this.#connections.generationOf(connection) === way.generation
  }

  #isAllowed(way: PacketWay, packet: Ipv4Packet, direction: FirewallDirectionInput): boolean {
    const isOut = direction === egress
    const port = isOut ? way.source : way.destination
    if (port === undefined) return false
    const peer = (isOut ? packet.destination : packet.source) >>> 0
    const { action, rule_id } = way.vpc.rules[direction].match(port, peer, packet.protocol, packet.selector)
    if (this.#log !== undefined && way.vpc.logged.has(rule_id)) {
      const { destination, destinationPort, protocol, source, sourcePort } = packet
      const ends = { source, destination, source_port: sourcePort, destination_port: destinationPort }
      this.#log({ rule_id, port_id: port.id, vpc_id: way.vpc.id, direction, action, protocol, ...ends })
    }
    return action === 'NETWORK_FIREWALL_ACTION_ALLOW'
  }
}

/** Returns the protocol and the selector of the first packet of a connection, given any of its packets. */
function firstPacketOf(packet: Ipv4Packet, isForward: boolean): Pick<Ipv4Packet, 'protocol' | 'selector'> {
  const { protocol } = packet
  if (protocol === 'ICMP') return { protocol, selector: icmpTypes.ECHO }
  return { protocol, selector: isForward ? packet.destinationPort : packet.sourcePort }
}
