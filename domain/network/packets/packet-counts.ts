/** The reasons for which the switch drops a frame. The order is the order of the counters. */
export const dropReasons = [
  /** The frame is shorter or longer than its headers require, or a checksum of a header is wrong. */
  'malformed',
  /** The frame is longer than the largest MTU permits. */
  'oversize',
  /** The logical port of the sender does not exist, or the switch has not read its row yet. */
  'no_port',
  /** The frame comes from another MAC address than that of the port. */
  'source_mac',
  /** The packet comes from another IPv4 address than that of the port. */
  'source_address',
  /** The sender of an ARP packet is not the port. */
  'arp_sender',
  /** No port of the subnet has the requested address, or the ARP packet is no request. */
  'arp_unanswered',
  /** The protocol is neither IPv4 nor ARP, for example IPv6 or a VLAN tag. */
  'ethertype',
  /** The frame is for all devices or for a group. */
  'broadcast',
  /** The DHCP packet is for another server, or needs no answer. */
  'dhcp_unanswered',
  'ip_options',
  'fragment',
  /** The MAC address of the destination belongs neither to the gateway nor to the port with the IPv4 address. */
  'wrong_destination',
  /** No connected port of the VPC has the destination address. */
  'no_destination',
  /** The gateway or the resolver has no such service. */
  'no_service',
  /** The packet has crossed too many routers. */
  'ttl',
  'firewall_egress',
  'firewall_ingress',
  /** The destination has not read the frames that wait for it. */
  'slow_port',
  /** The switch itself has failed on the frame. */
  'fault',
] as const

/** A reason for which the switch drops a frame. */
export type DropReason = (typeof dropReasons)[number]

/** The counts of a port or of the whole switch, in the order in which `PacketCounts` stores them. */
const countNames = ['received', 'delivered', 'answered', ...dropReasons] as const

/** The name of a count: the frames from guests, the frames to guests, the answers of the switch itself, the drops. */
export type CountName = (typeof countNames)[number]

/** The place of each count in `PacketCounts`, by name. */
const places = Object.fromEntries(countNames.map((name, place) => [name, place]))

/** Counts of frames since the attachment of a port, or since the start of the switch. */
export class PacketCounts {
  /** The number of bytes of the counts. */
  static readonly bytes: number = countNames.length * Float64Array.BYTES_PER_ELEMENT
  readonly #values: Float64Array

  /** Counts in `memory`, which threads may share: one thread adds, and the others read. */
  constructor(memory: ArrayBuffer | SharedArrayBuffer = new ArrayBuffer(PacketCounts.bytes)) {
    this.#values = new Float64Array(memory)
  }

  /** Adds 1 to a count. */
  add(name: CountName): void {
    const place = places[name] ?? 0
    this.#values[place] = (this.#values[place] ?? 0) + 1
  }

  get(name: CountName): number {
    return this.#values[places[name] ?? 0] ?? 0
  }

  /** Returns the counts that are not 0, by name. */
  toJSON(): Readonly<Record<string, number>> {
    return Object.fromEntries(countNames.flatMap(name => (this.get(name) > 0 ? [[name, this.get(name)]] : [])))
  }
}
