/** Builds and reads frames for the tests of the switch, independently of the code of the switch. */

/** Bytes of a frame. */
export type Bytes = Buffer<ArrayBufferLike>

export const protocols = { ICMP: 1, TCP: 6, UDP: 17 } as const
export const broadcastMac = 'ff:ff:ff:ff:ff:ff'

/** The members of an IPv4 packet. */
export interface Ipv4Form {
  readonly from: string
  readonly to: string
  readonly protocol: number
  readonly content: Bytes
  readonly ttl?: number
  /** The 16 bits of the flags and the fragment offset. */
  readonly fragment?: number
  readonly options?: Bytes
}

export const macBytes = (mac: string): Bytes => Buffer.from(mac.replaceAll(':', ''), 'hex')
export const addressBytes = (address: string): Bytes => Buffer.from(address.split('.').map(Number))

const words = (...values: readonly number[]): Bytes =>
  Buffer.concat(
    values.map(value => {
      const word = Buffer.alloc(2)
      word.writeUInt16BE(value)
      return word
    }),
  )

/** Returns the checksum of some bytes (RFC 1071). */
export function checksum(bytes: Bytes): number {
  const even = bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.from([0])])
  let sum = 0
  for (let at = 0; at < even.length; at += 2) sum += even.readUInt16BE(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}

const withChecksum = (bytes: Bytes, at: number, pseudo: Bytes = Buffer.alloc(0)): Bytes => {
  const made = Buffer.from(bytes)
  made.writeUInt16BE(checksum(Buffer.concat([pseudo, bytes])), at)
  return made
}

export const ethernet = (to: string, from: string, type: number, content: Bytes): Bytes =>
  Buffer.concat([macBytes(to), macBytes(from), words(type), content])

export function ipv4({ content, fragment = 0x4000, from, options, protocol, to, ttl = 64 }: Ipv4Form): Bytes {
  const extra = options ?? Buffer.alloc(0)
  const length = 20 + extra.length
  const header = Buffer.concat([
    Buffer.from([0x40 + length / 4, 0]),
    words(length + content.length, 7, fragment),
    Buffer.from([ttl, protocol, 0, 0]),
    addressBytes(from),
    addressBytes(to),
    extra,
  ])
  return Buffer.concat([withChecksum(header, 10), content])
}

/** Returns the content of a UDP packet with a checksum of 0, which stands for none. */
export const udp = (from: number, to: number, content: Bytes = Buffer.from('data')): Bytes =>
  Buffer.concat([words(from, to, 8 + content.length, 0), content])

/** Returns the content of a TCP packet without data. The checksum is 0, because the switch does not read it. */
export const tcp = (from: number, to: number, flags: number): Bytes =>
  Buffer.concat([words(from, to), Buffer.alloc(8), Buffer.from([0x50, flags]), words(1024, 0, 0)])

/** Returns an ICMP packet; `rest` are the four bytes behind the checksum, for example identifier and number. */
export const icmp = (type: number, code: number, rest: Bytes, content: Bytes = Buffer.alloc(0)): Bytes =>
  withChecksum(Buffer.concat([Buffer.from([type, code, 0, 0]), rest, content]), 2)

export const echo = (type: 0 | 8, identifier: number, number = 1): Bytes =>
  icmp(type, 0, words(identifier, number), Buffer.from('abcdefgh'))

export const arp = (
  operation: number,
  sender: readonly [mac: string, address: string],
  target: readonly [mac: string, address: string],
): Bytes =>
  Buffer.concat([
    words(1, 0x0800, 0x0604, operation),
    macBytes(sender[0]),
    addressBytes(sender[1]),
    macBytes(target[0]),
    addressBytes(target[1]),
  ])

/** The members of a DHCP message of a client. */
export interface DhcpForm {
  readonly kind: number
  readonly mac: string
  readonly clientAddress?: string
  readonly flags?: number
  /** The options other than the kind, keyed by number. */
  readonly options?: Readonly<Record<number, Bytes>>
}

export function dhcp({ clientAddress = '0.0.0.0', flags = 0, kind, mac, options = {} }: DhcpForm): Bytes {
  const given = Object.entries(options).map(([option, value]) =>
    Buffer.concat([Buffer.from([Number(option), value.length]), value]),
  )
  return Buffer.concat([
    Buffer.from([1, 1, 6, 0]),
    Buffer.from('12345678', 'hex'),
    words(0, flags),
    addressBytes(clientAddress),
    Buffer.alloc(12),
    macBytes(mac),
    Buffer.alloc(10 + 64 + 128),
    Buffer.from('63825363', 'hex'),
    Buffer.from([53, 1, kind]),
    ...given,
    Buffer.from([255]),
  ])
}

const macText = (bytes: Bytes): string => (bytes.toString('hex').match(/../g) ?? []).join(':')
const addressText = (bytes: Bytes): string => [...bytes].join('.')

/** The members of a frame that tests compare. */
export interface ReadFrame {
  readonly to: string
  readonly from: string
  readonly type: number
  readonly content: Bytes
}

export const readFrame = (frame: Bytes): ReadFrame => ({
  to: macText(frame.subarray(0, 6)),
  from: macText(frame.subarray(6, 12)),
  type: frame.readUInt16BE(12),
  content: frame.subarray(14),
})

/** Reads the packet of a frame. Throws if a checksum is wrong. */
export function readIpv4(frame: Bytes) {
  const packet = frame.subarray(14)
  const [content, pseudo] = [packet.subarray(20, packet.readUInt16BE(2)), packet.subarray(12, 20)]
  const protocol = packet[9] ?? 0
  if (checksum(packet.subarray(0, 20)) !== 0) throw new Error('the checksum of the header is wrong')
  if (protocol === protocols.ICMP && checksum(content) !== 0) throw new Error('the checksum of ICMP is wrong')
  const isSummed = protocol === protocols.UDP && content.readUInt16BE(6) !== 0
  if (isSummed && checksum(Buffer.concat([pseudo, words(protocol, content.length), content])) !== 0)
    throw new Error('the checksum of UDP is wrong')
  const [from, to] = [addressText(packet.subarray(12, 16)), addressText(packet.subarray(16, 20))]
  return { from, to, protocol, ttl: packet[8] ?? 0, content }
}

export function readArp(frame: Bytes) {
  const packet = frame.subarray(14)
  return {
    operation: packet.readUInt16BE(6),
    sender: [macText(packet.subarray(8, 14)), addressText(packet.subarray(14, 18))],
    target: [macText(packet.subarray(18, 24)), addressText(packet.subarray(24, 28))],
  }
}

/** Reads the DHCP message of a frame, with its options as hexadecimal text, keyed by number. */
export function readDhcp(frame: Bytes) {
  const { content, ...ends } = readIpv4(frame)
  const message = content.subarray(8)
  const options: Record<number, string> = {}
  for (let at = 240; message[at] !== 255; at += 2 + (message[at + 1] ?? 0)) {
    if (at >= message.length) throw new Error('the options have no end')
    options[message[at] ?? 0] = message.subarray(at + 2, at + 2 + (message[at + 1] ?? 0)).toString('hex')
  }
  return {
    ...ends,
    ports: [content.readUInt16BE(0), content.readUInt16BE(2)],
    transaction: message.subarray(4, 8).toString('hex'),
    yourAddress: addressText(message.subarray(16, 20)),
    mac: macText(message.subarray(28, 34)),
    options,
    length: message.length,
  }
}
