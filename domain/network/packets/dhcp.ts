import { read32, write16, write32 } from './bytes.ts'
import { udpContent, writeUdp } from './answers.ts'
import type { Ipv4Packet } from './ipv4-packet.ts'
import { broadcastMac, hasMac, macBytes } from './mac.ts'
import type { SwitchedPort } from './switched-vpc.ts'

/** The ports of DHCP over UDP (RFC 2131). */
export const dhcpPorts = { SERVER: 67, CLIENT: 68 } as const

/** The time of a lease in seconds. A guest renews after half of this time, and then reads changed options. */
export const leaseSeconds = 3600

/** The kinds of messages (RFC 2132 9.6). */
const kinds = { DISCOVER: 1, OFFER: 2, REQUEST: 3, ACK: 5, NAK: 6, INFORM: 8 } as const

/** The numbers of the options (RFC 2132). */
const options = {
  SUBNET_MASK: 1,
  ROUTER: 3,
  NAME_SERVERS: 6,
  MTU: 26,
  BROADCAST: 28,
  REQUESTED_ADDRESS: 50,
  LEASE_SECONDS: 51,
  KIND: 53,
  SERVER: 54,
  END: 255,
} as const

/** The offsets of the members of a message. */
const at = {
  operation: 0,
  addressForm: 1,
  transaction: 4,
  flags: 10,
  clientAddress: 12,
  yourAddress: 16,
  clientMac: 28,
  cookie: 236,
  options: 240,
} as const
const cookie = 0x6382_5363
/** The shortest message, because old clients drop shorter messages (RFC 1542 2.1). */
const minimalBytes = 300

/** A message of a client. */
export interface DhcpRequest {
  readonly kind: number
  readonly transaction: number
  /** Whether the client cannot receive a packet for its address yet, and needs a broadcast. */
  readonly isBroadcastWanted: boolean
  /** The address that the client has already; 0 if it has none. */
  readonly clientAddress: number
  /** The address that the client requests, and the server that it has chosen. */
  readonly requested?: number | undefined
  readonly server?: number | undefined
}

/**
 * Reads the message in a UDP packet of a port. Returns the reason to drop the packet if the message is malformed or is
 * about another MAC address.
 */
export function readDhcp(
  bytes: Uint8Array,
  packet: Pick<Ipv4Packet, 'content' | 'end'>,
  { mac }: Pick<SwitchedPort, 'mac'>,
): DhcpRequest | 'malformed' | 'source_mac' {
  const start = packet.content + 8
  const message = bytes.subarray(start, packet.end)
  if (message.length < at.options || read32(message, at.cookie) !== cookie) return 'malformed'
  if (message[at.operation] !== 1 || message[at.addressForm] !== 1) return 'malformed'
  if (message[at.addressForm + 1] !== macBytes) return 'malformed'
  if (!hasMac(message, at.clientMac, mac)) return 'source_mac'
  const given = readOptions(message)
  const kind = given.get(options.KIND)
  if (kind?.length !== 1) return 'malformed'
  const [requested, server] = [options.REQUESTED_ADDRESS, options.SERVER].map(option => given.get(option))
  return {
    kind: kind[0] ?? 0,
    transaction: read32(message, at.transaction),
    isBroadcastWanted: ((message[at.flags] ?? 0) & 0x80) !== 0,
    clientAddress: read32(message, at.clientAddress),
    requested: requested?.length === 4 ? read32(requested, 0) : undefined,
    server: server?.length === 4 ? read32(server, 0) : undefined,
  }
}

/** Returns the options of a message, keyed by number. An option that reaches behind the end of the message ends the list. */
function readOptions(message: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const found = new Map<number, Uint8Array>()
  for (let i = at.options; i < message.length && message[i] !== options.END;) {
    const option = message[i] ?? 0
    // The option 0 fills space and has no length.
    const length = option === 0 ? -1 : (message[i + 1] ?? 0)
    if (i + 2 + length > message.length) break
    if (option !== 0) found.set(option, message.subarray(i + 2, i + 2 + length))
    i += 2 + length
  }
  return found
}

/**
 * Writes the answer to a message of a port, and returns the length of the frame; returns 0 if the message needs no
 * answer, for example because the client has chosen another server. The port gets its own address only: a request for
 * another address gets a NAK.
 */
export function writeDhcpAnswer(into: Uint8Array, port: SwitchedPort, request: DhcpRequest): number {
  const kind = answerKind(port, request)
  if (kind === undefined) return 0
  const { mac, subnet } = port
  const isLease = kind !== kinds.NAK && request.kind !== kinds.INFORM
  into.fill(0, udpContent, udpContent + at.options)
  const message = into.subarray(udpContent)
  message.set([2, 1, macBytes], at.operation)
  write32(message, at.transaction, request.transaction)
  write16(message, at.flags, request.isBroadcastWanted ? 0x8000 : 0)
  if (kind !== kinds.NAK) write32(message, at.clientAddress, request.clientAddress)
  if (isLease) write32(message, at.yourAddress, port.address)
  write16(message, at.clientMac, mac.high)
  write32(message, at.clientMac + 2, mac.low)
  write32(message, at.cookie, cookie)
  const length = writeOptions(message, port, kind, isLease)
  const isBroadcast = kind === kinds.NAK || (request.clientAddress === 0 && request.isBroadcastWanted)
  const ends = {
    source: subnet.gateway,
    sourceMac: subnet.gatewayMac,
    destination: isBroadcast ? -1 : request.clientAddress || port.address,
    destinationMac: isBroadcast ? broadcastMac : mac,
  }
  return writeUdp(into, ends, { from: dhcpPorts.SERVER, to: dhcpPorts.CLIENT }, length)
}

function answerKind({ address, subnet }: SwitchedPort, request: DhcpRequest): number | undefined {
  if (request.server !== undefined && request.server !== subnet.gateway) return undefined
  if (request.kind === kinds.DISCOVER) return kinds.OFFER
  if (request.kind === kinds.INFORM) return kinds.ACK
  if (request.kind !== kinds.REQUEST) return undefined
  return (request.requested ?? request.clientAddress) === address ? kinds.ACK : kinds.NAK
}

/** Writes the options of an answer into its message, and returns the length of the message. */
function writeOptions(message: Uint8Array, { subnet }: SwitchedPort, kind: number, isLease: boolean): number {
  let end: number = at.options
  const add = (option: number, ...values: readonly number[]): void => {
    message.set([option, values.length, ...values], end)
    end += 2 + values.length
  }
  const addAddresses = (option: number, ...addresses: readonly number[]): void =>
    add(option, ...addresses.flatMap(bytesOf))
  add(options.KIND, kind)
  addAddresses(options.SERVER, subnet.gateway)
  if (isLease) addAddresses(options.LEASE_SECONDS, leaseSeconds)
  if (kind !== kinds.NAK) {
    addAddresses(options.SUBNET_MASK, subnet.mask)
    addAddresses(options.ROUTER, subnet.gateway)
    addAddresses(options.NAME_SERVERS, ...subnet.nameServers)
    addAddresses(options.BROADCAST, subnet.broadcast)
    add(options.MTU, subnet.mtu >>> 8, subnet.mtu & 255)
  }
  message[end] = options.END
  message.fill(0, end + 1, minimalBytes)
  return Math.max(end + 1, minimalBytes)
}

/** Returns the bytes of a 32-bit integer in network byte order. */
const bytesOf = (value: number): readonly number[] => [24, 16, 8, 0].map(shift => (value >>> shift) & 255)
