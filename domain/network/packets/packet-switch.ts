import { readArp, writeArpReply } from './arp.ts'
import { writeDnsRefusal, writeEchoReply, type AnswerEnds } from './answers.ts'
import { read16, write16 } from './bytes.ts'
import { sumOf } from './checksum.ts'
import type { ConnectionRecord } from './connection-record.ts'
import { ConnectionTable, type ConnectionLimits } from './connections.ts'
import { dhcpPorts, readDhcp, writeDhcpAnswer } from './dhcp.ts'
import { FirewallState, type PacketWay } from './firewall-state.ts'
import { ethernetBytes, icmpTypes, Ipv4Packet } from './ipv4-packet.ts'
import { hasMac, macBytes, writeMac } from './mac.ts'
import type { DropReason, PacketCounts } from './packet-counts.ts'
import { switchedVpc, type SwitchedPort, type SwitchedSubnet, type SwitchedVpc, type VpcRows } from './switched-vpc.ts'

/** The length of the longest frame: the largest MTU of a VPC, an Ethernet header and a VLAN tag. */
export const maxFrameBytes: number = 8900 + ethernetBytes + 4

const etherTypes = { IPV4: 0x0800, ARP: 0x0806 } as const
const dnsPort = 53

/** A port whose machine is connected with the switch. */
export interface ConnectedPort {
  readonly id: string
  /** The number of the port in the connection table. */
  readonly number: number
  readonly counts: PacketCounts
  /**
   * Sends a frame to the machine. The bytes belong to the switch again after the call. Returns false if the machine has
   * not read its earlier frames, and the frame was dropped.
   */
  send(bytes: Uint8Array, start: number, end: number): boolean
}

/** The outputs of the switch. */
export interface SwitchOutputs {
  /** The counts of all ports since the start of the switch. */
  readonly totals: PacketCounts
  /** Receives the new connections that a rule with `log` has matched. */
  readonly log?: ((record: ConnectionRecord) => void) | undefined
}

interface KnownVpc {
  readonly vpc: SwitchedVpc
  readonly number: number
  readonly generation: number
}

/**
 * The switch between the ports of this server (network.md 6), without sockets and clocks. A frame reaches a port of the
 * same VPC only, and only from the own addresses of its sender. The switch answers ARP, DHCP, DNS and the echo requests
 * to the gateway itself; other broadcasts and multicasts reach nobody. No frame makes the switch throw or grow.
 */
export class PacketSwitch {
  readonly #outputs: SwitchOutputs
  readonly #connections: ConnectionTable
  readonly #firewall: FirewallState
  readonly #ports = new Map<string, ConnectedPort>()
  readonly #vpcs = new Map<string, KnownVpc>()
  /** The VPC of each known port, keyed by the id of the port. */
  readonly #vpcOf = new Map<string, KnownVpc>()
  readonly #packet = new Ipv4Packet()
  readonly #answer = new Uint8Array(maxFrameBytes)
  #lastNumber = 0

  /** `seed` is a random 32-bit integer for the connection table. */
  constructor(limits: ConnectionLimits, outputs: SwitchOutputs, seed: number) {
    this.#outputs = outputs
    this.#connections = new ConnectionTable(limits, seed)
    this.#firewall = new FirewallState(this.#connections, outputs.log)
  }

  /** The number of connections. */
  get connectionCount(): number {
    return this.#connections.size
  }

  /** Sets the rows of a VPC. Throws for rows with an invalid address, and then keeps the former rows. */
  setVpc(rows: VpcRows): void {
    const vpc = switchedVpc(rows)
    const before = this.#vpcs.get(vpc.id)
    const number = before?.number ?? (this.#lastNumber += 1)
    const known = { vpc, number, generation: (before?.generation ?? 0) + 1 }
    this.removeVpc(vpc.id)
    this.#vpcs.set(vpc.id, known)
    for (const id of vpc.byId.keys()) this.#vpcOf.set(id, known)
  }

  /** Forgets a VPC: its ports neither send nor receive. */
  removeVpc(id: string): void {
    for (const port of this.#vpcs.get(id)?.vpc.byId.keys() ?? []) this.#vpcOf.delete(port)
    this.#vpcs.delete(id)
  }

  /** Adds a port whose machine is connected. Replaces the port with the same id. */
  connect(port: ConnectedPort): void {
    this.#ports.set(port.id, port)
  }

  /** Removes a port. The connections that the port has begun stay for its next connection until `release`. */
  disconnect(port: ConnectedPort): void {
    if (this.#ports.get(port.id) === port) this.#ports.delete(port.id)
  }

  /** Removes the connections that the port with this number has begun, so that another port may use the number. */
  release(number: number): void {
    this.#connections.removeOf(number)
  }

  /** Ends connections that were idle for too long, in the next `count` places of the table. */
  sweep(count: number, now: number): void {
    this.#connections.sweep(count, now)
  }

  /**
   * Handles a frame of a port, which stands in `bytes` from `start` to `end`, and may change these bytes. `now` is the
   * time in milliseconds of a clock that never goes back.
   */
  receive(port: ConnectedPort, bytes: Uint8Array, start: number, end: number, now: number): void {
    this.#count(port, 'received')
    const reason = this.#handled(port, bytes, start, end, now)
    if (reason !== undefined) this.#count(port, reason)
  }

  /** Counts a frame of a port that was dropped before the switch could handle it. */
  drop(port: ConnectedPort, reason: DropReason): void {
    this.#count(port, 'received')
    this.#count(port, reason)
  }

  #count(port: ConnectedPort, name: 'received' | 'delivered' | 'answered' | DropReason): void {
    port.counts.add(name)
    this.#outputs.totals.add(name)
  }

  #handled(port: ConnectedPort, bytes: Uint8Array, start: number, end: number, now: number): DropReason | undefined {
    try {
      return this.#handle(port, bytes, start, end, now)
    } catch {
      return 'fault'
    }
  }

  #handle(port: ConnectedPort, bytes: Uint8Array, start: number, end: number, now: number): DropReason | undefined {
    if (end - start < ethernetBytes) return 'malformed'
    if (end - start > maxFrameBytes) return 'oversize'
    const known = this.#vpcOf.get(port.id)
    const source = known?.vpc.byId.get(port.id)
    if (known === undefined || source === undefined) return 'no_port'
    if (!hasMac(bytes, start + macBytes, source.mac)) return 'source_mac'
    const type = read16(bytes, start + 2 * macBytes)
    if (type === etherTypes.ARP) return this.#answerArp(port, known, source, bytes.subarray(start, end))
    if (type !== etherTypes.IPV4) return 'ethertype'
    const fault = this.#packet.read(bytes, start + ethernetBytes, end)
    if (fault !== undefined) return fault
    if (isDhcp(this.#packet, source)) return this.#answerDhcp(port, source, bytes)
    if (this.#packet.source !== source.address) return 'source_address'
    if (((bytes[start] ?? 0) & 1) !== 0) return 'broadcast'
    const service = known.vpc.services.get(this.#packet.destination)
    if (service !== undefined) return this.#answerService(port, known, source, { bytes, start, service })
    return this.#forward(port, known, source, { bytes, start, now })
  }

  #answerArp(port: ConnectedPort, { vpc }: KnownVpc, source: SwitchedPort, frame: Uint8Array): DropReason | undefined {
    const request = readArp(frame, source)
    if (typeof request === 'string') return request
    const owner = this.#ownerOf(vpc, source, request.target)
    if (owner === undefined) return 'arp_unanswered'
    return this.#reply(port, writeArpReply(this.#answer, source, request.target, owner))
  }

  /** Returns the MAC address for an address of the subnet of a port, other than the address of the port itself. */
  #ownerOf(vpc: SwitchedVpc, { address, subnet }: SwitchedPort, target: number): SwitchedPort['mac'] | undefined {
    if (target === subnet.gateway || target === subnet.resolver) return subnet.gatewayMac
    const owner = vpc.byAddress.get(target)
    const isReachable = owner?.subnet === subnet && owner.address !== address && this.#ports.has(owner.id)
    return isReachable ? owner.mac : undefined
  }

  #answerDhcp(port: ConnectedPort, source: SwitchedPort, bytes: Uint8Array): DropReason | undefined {
    const request = readDhcp(bytes, this.#packet, source)
    if (typeof request === 'string') return request
    const length = writeDhcpAnswer(this.#answer, source, request)
    return length === 0 ? 'dhcp_unanswered' : this.#reply(port, length)
  }

  /** Answers a packet to a gateway or a resolver of the VPC. */
  #answerService(
    port: ConnectedPort,
    known: KnownVpc,
    source: SwitchedPort,
    { bytes, service, start }: { readonly bytes: Uint8Array; readonly start: number; readonly service: SwitchedSubnet },
  ): DropReason | undefined {
    const packet = this.#packet
    if (!hasMac(bytes, start, source.subnet.gatewayMac)) return 'wrong_destination'
    const isGateway = packet.destination === service.gateway
    const isQuery = !isGateway && packet.destinationPort === dnsPort && service === source.subnet
    if (!isQuery) {
      const denied = this.#firewall.judgeToService(wayOf(known, port, source), packet)
      if (denied !== undefined) return denied
    }
    const ends: AnswerEnds = {
      source: packet.destination,
      sourceMac: source.subnet.gatewayMac,
      destination: packet.source,
      destinationMac: source.mac,
    }
    if (isQuery && packet.protocol === 'UDP')
      return this.#reply(port, writeDnsRefusal(this.#answer, ends, bytes, packet))
    const isEcho = packet.protocol === 'ICMP' && packet.icmpType === icmpTypes.ECHO
    if (!isGateway || !isEcho) return 'no_service'
    return this.#reply(port, writeEchoReply(this.#answer, ends, bytes, packet))
  }

  /** Sends the answer of `length` bytes to a port; a length of 0 means that there is no answer. */
  #reply(port: ConnectedPort, length: number): DropReason | undefined {
    if (length === 0) return 'malformed'
    if (!port.send(this.#answer, 0, length)) return 'slow_port'
    this.#count(port, 'answered')
    return undefined
  }

  /** Forwards a packet to the port with its destination address: within the subnet, or through the gateway. */
  #forward(
    port: ConnectedPort,
    known: KnownVpc,
    source: SwitchedPort,
    { bytes, now, start }: { readonly bytes: Uint8Array; readonly start: number; readonly now: number },
  ): DropReason | undefined {
    const packet = this.#packet
    const destination = known.vpc.byAddress.get(packet.destination)
    const isRouted = hasMac(bytes, start, source.subnet.gatewayMac)
    const isDirect = destination?.subnet === source.subnet && hasMac(bytes, start, destination.mac)
    if (!isRouted && !isDirect) return 'wrong_destination'
    if (isRouted && packet.ttl <= 1) return 'ttl'
    const way = wayOf(known, port, source, destination)
    const receiver = destination === source ? undefined : this.#ports.get(destination?.id ?? '')
    if (destination === undefined || receiver === undefined)
      return this.#firewall.judgeToService(way, packet) ?? 'no_destination'
    const denied = this.#firewall.judge(way, bytes, packet, now)
    if (denied !== undefined) return denied
    if (isRouted) route(bytes, start, destination)
    if (!receiver.send(bytes, start, packet.end)) return 'slow_port'
    this.#count(receiver, 'delivered')
    return undefined
  }
}

const wayOf = (
  { generation, number, vpc }: KnownVpc,
  port: ConnectedPort,
  source: SwitchedPort,
  destination?: SwitchedPort,
): PacketWay => ({ vpc, vpcNumber: number, generation, source, destination, owner: port.number })

/** Returns whether a packet is a message of a client to the DHCP server of its subnet. */
function isDhcp(packet: Ipv4Packet, { address, subnet }: SwitchedPort): boolean {
  if (packet.protocol !== 'UDP' || packet.destinationPort !== dhcpPorts.SERVER) return false
  if (packet.source !== 0 && packet.source !== address) return false
  return packet.destination === -1 || packet.destination === subnet.gateway
}

/** Changes the headers of a packet as the gateway of its destination does: the MAC addresses, the TTL, the checksum. */
function route(bytes: Uint8Array, start: number, { mac, subnet }: SwitchedPort): void {
  const at = start + ethernetBytes
  writeMac(bytes, start, mac)
  writeMac(bytes, start + macBytes, subnet.gatewayMac)
  bytes[at + 8] = (bytes[at + 8] ?? 0) - 1
  write16(bytes, at + 10, 0)
  write16(bytes, at + 10, ~sumOf(bytes, at, at + 20) & 0xffff)
}
