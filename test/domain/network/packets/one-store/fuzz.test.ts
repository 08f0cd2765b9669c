import { expect, it } from 'vitest'
import { dropReasons } from '../../../../../domain/network/packets/packet-counts.ts'
import { maxFrameBytes } from '../../../../../domain/network/packets/packet-switch.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { randomRule } from '../../firewall/random-policies.ts'
import {
  addressBytes,
  arp,
  broadcastMac,
  dhcp,
  echo,
  ethernet,
  icmp,
  ipv4,
  macBytes,
  protocols,
  readFrame,
  tcp,
  udp,
  type Bytes,
} from '../frames.ts'
import { allowAll, limits, TestNet, type TestPort } from '../test-net.ts'

const frameCount = Number(process.env['NINEFOLD_FUZZED_FRAMES'] ?? 100_000)
const seed = Number(process.env['NINEFOLD_FUZZED_SEED'] ?? Date.now() % 2 ** 31)

/** Returns a net of two VPCs with the same addresses; `left` receives the frames that leave the switch. */
function fuzzedNet() {
  const net = new TestNet()
  const left: { readonly port: TestPort; readonly frame: Bytes }[] = []
  const seats = [
    ['a', 1, 2, 'red'],
    ['b', 1, 3, 'red'],
    ['c', 2, 2, 'red'],
    ['d', 1, 2, 'blue'],
    ['e', 1, 3, 'blue'],
    ['f', 2, 9, 'blue'],
  ] as const
  const ports = seats.map(([name, subnet, host, vpc]) => net.add(name, subnet, host, vpc))
  for (const port of ports) {
    port.send = (bytes, start, end) => {
      if (port.isSlow) return false
      left.push({ port, frame: Buffer.from(bytes.slice(start, end)) })
      return true
    }
  }
  return { net, ports, left }
}

/** Returns the content of a sound packet between two ports. */
function randomContent(random: Random, from: TestPort, to: TestPort): Bytes {
  const port = () => random.oneOf([53, 67, 68, 69, 80, 1000])
  const options = random.percent(5) ? Buffer.alloc(4, 1) : Buffer.alloc(0)
  const ends = { from: from.ip, to: to.ip, ttl: random.oneOf([1, 64]), options }
  const make = random.oneOf([
    () => ipv4({ ...ends, protocol: protocols.UDP, content: udp(port(), port()) }),
    () => ipv4({ ...ends, protocol: protocols.TCP, content: tcp(port(), port(), random.below(64)) }),
    () => ipv4({ ...ends, protocol: protocols.ICMP, content: echo(random.oneOf([0, 8]), port()) }),
    () => {
      const quoted = ipv4({ from: to.ip, to: from.ip, protocol: protocols.UDP, content: udp(port(), port()) })
      const content = icmp(random.oneOf([3, 5, 11]), 1, Buffer.alloc(4), quoted)
      return ipv4({ from: from.ip, to: to.ip, protocol: protocols.ICMP, content })
    },
    () => ipv4({ from: from.ip, to: random.oneOf(places), protocol: random.below(256), content: Buffer.alloc(30) }),
    () => {
      const options = { 50: addressBytes(to.ip), 54: addressBytes(random.oneOf(places)) }
      const content = udp(68, 67, dhcp({ kind: random.below(9), mac: from.mac, options, flags: random.below(65_536) }))
      return ipv4({ from: '0.0.0.0', to: '255.255.255.255', protocol: protocols.UDP, content })
    },
  ])
  return make()
}

const places = ['10.20.1.1', '10.20.2.1', '10.20.1.254', '10.20.1.255', '255.255.255.255', '8.8.8.8', '0.0.0.0']

/** Returns a sound frame. */
function soundFrame(random: Random, net: TestNet, ports: readonly TestPort[], from: TestPort): Bytes {
  const to = random.oneOf(ports)
  const macs = [to.mac, net.gatewayMac(from), random.oneOf(ports).mac, broadcastMac]
  const isArp = random.percent(10)
  const packet = isArp
    ? arp(1 + random.below(2), [from.mac, from.ip], [to.mac, random.oneOf([to.ip, ...places])])
    : randomContent(random, from, to)
  const sound = ethernet(random.oneOf(macs), from.mac, isArp ? 0x0806 : 0x0800, packet)
  return sound
}

/** Returns a frame that differs from a sound frame in some bytes or in its length. */
function mutated(random: Random, sound: Bytes, other: TestPort): Bytes {
  const frame = Buffer.from(sound)
  const at = random.below(Math.min(frame.length, 80))
  const change = random.oneOf([
    () => frame.subarray(0, at),
    () => Buffer.concat([frame, Buffer.alloc(random.oneOf([1, 40, 1500, 9000]), 5)]),
    () => frame.fill(random.below(256), at, Math.min(frame.length, at + 1 + random.below(3))),
    () => frame.fill(addressBytes(other.ip), 26, 30),
    () => frame.fill(macBytes(other.mac), 6, 12),
    () => frame.fill(macBytes(other.mac), 0, 6),
    () => Buffer.from(Array.from({ length: at }, () => random.below(256))),
  ])
  return resummed(random, change())
}

/** Returns the frame with a sound checksum of its IPv4 header most of the time, so that the mutations behind it count. */
function resummed(random: Random, frame: Bytes): Bytes {
  if (frame.length < 34 || frame.readUInt16BE(12) !== 0x0800 || random.percent(20)) return frame
  let sum = 0
  for (let at = 14; at < 34; at += 2) sum += at === 24 ? 0 : frame.readUInt16BE(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  frame.writeUInt16BE(~sum & 0xffff, 24)
  return frame
}

/** Returns the reason why a frame must not leave the switch to a port; undefined if it may. */
function violation(
  net: TestNet,
  sender: TestPort,
  port: TestPort,
  frame: Bytes,
  isAnswer: boolean,
): string | undefined {
  if (frame.length > maxFrameBytes) return 'is too long'
  if (port.vpc !== sender.vpc) return 'reaches another VPC'
  const { from, to, type } = readFrame(frame)
  if (isAnswer) {
    if (port !== sender) return 'answers another port'
    return from === net.gatewayMac(sender) || type === 0x0806 ? undefined : 'comes from no gateway'
  }
  if (type !== 0x0800) return 'is no IPv4 packet'
  const packet = readIpv4Addresses(frame)
  if (packet.from !== sender.ip) return 'has the source of another port'
  if (packet.to !== port.ip || to !== port.mac) return 'has another destination'
  const isDirect = from === sender.mac && sender.subnet === port.subnet
  return isDirect || from === net.gatewayMac(port) ? undefined : 'has the MAC address of another port'
}

const readIpv4Addresses = (frame: Bytes) => ({
  from: [...frame.subarray(26, 30)].join('.'),
  to: [...frame.subarray(30, 34)].join('.'),
})

/** Changes rules, the clock, or the connection of a port. */
function disturb(random: Random, net: TestNet, ports: readonly TestPort[]): void {
  const port = random.oneOf(ports)
  const vpc = random.oneOf(['red', 'blue'] as const)
  const subnets = net.rowsOf(vpc).subnets
  const change = random.oneOf([
    () =>
      net.setRules(vpc, allowAll, ...Array.from({ length: 5 }, (_, i) => randomRule(random, { subnets }, `r${i}`, i))),
    () => net.setRules(vpc, allowAll),
    () => net.switch.removeVpc(vpc),
    () => net.refresh(vpc),
    () => net.switch.disconnect(port),
    () => net.switch.connect(port),
    () => net.switch.connect(port),
    () => net.switch.sweep(10, net.now),
    () => net.switch.release(port.number),
    () => {
      port.isSlow = random.percent(20)
    },
    () => {
      net.now += random.oneOf([1, 1000, 30_000, 3_600_000])
    },
  ])
  change()
}

/** Calls `send` with `count` frames: each sound frame, and then four mutations of the frame. */
function fuzz(
  random: Random,
  net: TestNet,
  ports: readonly TestPort[],
  count: number,
  send: (sender: TestPort, frame: Bytes) => void,
): void {
  let sender = random.oneOf(ports)
  let sound = soundFrame(random, net, ports, sender)
  for (let i = 0; i < count; i += 1) {
    if (i % 50 === 0) disturb(random, net, ports)
    if (i % 5 === 0) {
      sender = random.oneOf(ports)
      sound = soundFrame(random, net, ports, sender)
    }
    send(sender, i % 5 === 0 ? Buffer.from(sound) : mutated(random, sound, random.oneOf(ports)))
  }
}

it(`${frameCount} fuzzed frames end in counters, and leave the switch only within a VPC and from their own source`, () => {
  const random = seeded(seed)
  const { left, net, ports } = fuzzedNet()
  const context = `NINEFOLD_FUZZED_SEED=${seed}`
  fuzz(random, net, ports, frameCount, (sender, frame) => {
    const answered = net.totals.get('answered')
    net.switch.receive(sender, frame, 0, frame.length, net.now)
    const isAnswer = net.totals.get('answered') > answered
    for (const { frame: out, port } of left.splice(0)) {
      const fault = violation(net, sender, port, out, isAnswer)
      if (fault !== undefined) throw new Error(`a frame (${context}) ${fault}: ${frame.toString('hex')}`)
    }
  })
  const counts = net.totals.toJSON()
  const dropped = dropReasons.reduce((sum, reason) => sum + net.totals.get(reason), 0)
  expect(counts['received'], context).toBe(frameCount)
  expect(net.totals.get('delivered') + net.totals.get('answered') + dropped, context).toBe(frameCount)
  expect(counts['fault'] ?? 0, context).toBe(0)
  expect(net.switch.connectionCount, context).toBeLessThanOrEqual(limits.connections)
})

it('the fuzzed frames reach every outcome', () => {
  const random = seeded(7)
  const { net, ports } = fuzzedNet()
  fuzz(random, net, ports, 20_000, (sender, frame) => net.switch.receive(sender, frame, 0, frame.length, net.now))
  const absent = ['delivered', 'answered', ...dropReasons].filter(name => net.totals.toJSON()[name] === undefined)
  expect(absent).toEqual(['fault'])
})
