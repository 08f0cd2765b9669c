import { describe, expect, it } from 'vitest'
import {
  arp,
  broadcastMac,
  echo,
  ethernet,
  icmp,
  ipv4,
  protocols,
  readArp,
  readFrame,
  readIpv4,
  tcp,
  udp,
  type Bytes,
  type Ipv4Form,
} from '../frames.ts'
import { allowAll, TestNet } from '../test-net.ts'

const anyMac = '00:00:00:00:00:00'

function openNet() {
  const net = new TestNet()
  const [a, b, c] = [net.add('a', 1, 2), net.add('b', 1, 3), net.add('c', 2, 2)]
  const blue = net.add('blue', 1, 3, 'blue')
  net.setRules('red', allowAll)
  net.setRules('blue', allowAll)
  return { net, a, b, c, blue }
}

const ping = (to: string): Omit<Ipv4Form, 'from'> => ({ to, protocol: protocols.ICMP, content: echo(8, 77) })

describe('the switch', () => {
  it('delivers a packet within a subnet unchanged', () => {
    const { a, b, net } = openNet()
    expect(net.sendIpv4(a, ping(b.ip))).toBe('delivered')
    const frame = ethernet(b.mac, a.mac, 0x0800, ipv4({ from: a.ip, ...ping(b.ip) }))
    expect(b.received).toEqual([frame])
  })

  it('routes a packet between subnets of a VPC: new MAC addresses, a lower TTL, a sound checksum', () => {
    const { a, c, net } = openNet()
    expect(net.sendIpv4(a, ping(c.ip))).toBe('delivered')
    const [frame = Buffer.alloc(0)] = c.received
    expect(readFrame(frame)).toMatchObject({ to: c.mac, from: net.gatewayMac(c) })
    expect(readIpv4(frame)).toMatchObject({ from: a.ip, to: c.ip, ttl: 63, content: echo(8, 77) })
  })

  it('drops a routed packet at the end of its TTL, and delivers such a packet within its subnet', () => {
    const { a, b, c, net } = openNet()
    expect(net.sendIpv4(a, { ...ping(c.ip), ttl: 1 })).toBe('ttl')
    expect(net.sendIpv4(a, { ...ping(b.ip), ttl: 1 })).toBe('delivered')
  })

  it('delivers to the port of the own VPC only, where two VPCs have the same addresses', () => {
    const { a, b, blue, net } = openNet()
    net.sendIpv4(a, ping(b.ip))
    expect([b.received.length, blue.received.length]).toEqual([1, 0])
    // The MAC address of the port of the other VPC does not help.
    const frame = ethernet(blue.mac, a.mac, 0x0800, ipv4({ from: a.ip, ...ping(blue.ip) }))
    expect(net.send(a, frame)).toBe('wrong_destination')
  })

  it('drops the padding of a short frame', () => {
    const { a, b, net } = openNet()
    const frame = ethernet(b.mac, a.mac, 0x0800, ipv4({ from: a.ip, ...ping(b.ip) }))
    expect(net.send(a, Buffer.concat([frame, Buffer.alloc(10, 7)]))).toBe('delivered')
    expect(b.received).toEqual([frame])
  })

  it.each<readonly [string, string, (form: Ipv4Form) => Bytes]>([
    ['another MAC address as its source', 'source_mac', form => ethernet(broadcastMac, anyMac, 0x0800, ipv4(form))],
    ['another address as its source', 'source_address', form => sent(ipv4({ ...form, from: '10.20.1.9' }))],
    ['the source 0.0.0.0', 'source_address', form => sent(ipv4({ ...form, from: '0.0.0.0' }))],
    ['IPv6', 'ethertype', form => ethernet(b, a, 0x86dd, ipv4(form))],
    ['a VLAN tag', 'ethertype', form => ethernet(b, a, 0x8100, ipv4(form))],
    ['all devices as its destination', 'broadcast', form => ethernet(broadcastMac, a, 0x0800, ipv4(form))],
    ['a group as its destination', 'broadcast', form => ethernet('01:00:5e:00:00:fb', a, 0x0800, ipv4(form))],
    ['IPv4 options', 'ip_options', form => sent(ipv4({ ...form, options: Buffer.from('07070400', 'hex') }))],
    ['more fragments', 'fragment', form => sent(ipv4({ ...form, fragment: 0x2000 }))],
    ['a fragment offset', 'fragment', form => sent(ipv4({ ...form, fragment: 5 }))],
    ['a wrong checksum', 'malformed', form => sent(changed(ipv4(form), 8))],
    ['another version', 'malformed', form => sent(changed(ipv4(form), 0))],
    ['a length beyond its frame', 'malformed', form => sent(ipv4(form).subarray(0, -1))],
    ['no complete header', 'malformed', form => sent(ipv4(form).subarray(0, 19))],
    ['no complete Ethernet header', 'malformed', form => sent(ipv4(form)).subarray(0, 13)],
    ['no content', 'malformed', form => sent(ipv4({ ...form, content: Buffer.alloc(0) }))],
    ['more than 8,918 bytes', 'oversize', form => Buffer.concat([sent(ipv4(form)), Buffer.alloc(8900)])],
    [
      'an address without a port',
      'no_destination',
      form => ethernet(gateway, a, 0x0800, ipv4({ ...form, to: '10.20.1.9' })),
    ],
    [
      'an address outside of the VPC',
      'no_destination',
      form => ethernet(gateway, a, 0x0800, ipv4({ ...form, to: '8.8.8.8' })),
    ],
    ['its own address', 'no_destination', form => ethernet(gateway, a, 0x0800, ipv4({ ...form, to: '10.20.1.2' }))],
    ['a MAC address of another port', 'wrong_destination', form => sent(ipv4({ ...form, to: '10.20.1.9' }))],
  ])('drops a frame with %s', (_, reason, make) => {
    const { a, net } = openNet()
    expect(net.send(a, make({ from: a.ip, ...ping('10.20.1.3') }))).toBe(reason)
    expect([...net.ports.values()].flatMap(({ received }) => received)).toEqual([])
    expect(a.counts.toJSON()).toEqual({ received: 1, [reason]: 1 })
  })

  it('drops the frames of a port whose row is absent', () => {
    const { a, b, net } = openNet()
    net.switch.removeVpc('red')
    expect(net.sendIpv4(a, ping(b.ip))).toBe('no_port')
    net.refresh('red')
    expect(net.sendIpv4(a, ping(b.ip))).toBe('delivered')
  })

  it('counts the frames for a port that reads none, or that is not connected', () => {
    const { a, b, net } = openNet()
    b.isSlow = true
    expect(net.sendIpv4(a, ping(b.ip))).toBe('slow_port')
    net.switch.disconnect(b)
    expect(net.sendIpv4(a, ping(b.ip))).toBe('no_destination')
  })

  it('keeps the port that replaced a disconnected port of the same id', () => {
    const { a, b, net } = openNet()
    const again = { ...b, received: [] }
    net.switch.connect(again)
    net.switch.disconnect(b)
    expect(net.sendIpv4(a, ping(b.ip))).toBe('delivered')
  })
})

const [a, b, gateway] = ['02:00:00:00:00:00', '02:00:00:00:00:01', '06:e8:bc:16:3c:82'] as const
const sent = (packet: Bytes): Bytes => ethernet(b, a, 0x0800, packet)
const changed = (packet: Bytes, at: number): Bytes => {
  const copy = Buffer.from(packet)
  copy[at] = (copy[at] ?? 0) ^ 0x10
  return copy
}

describe('ARP', () => {
  const ask = (net: TestNet, target: string, sender?: readonly [string, string]) => {
    const port = net.ports.get('a')
    if (port === undefined) throw new Error('there is no port a')
    const packet = arp(1, sender ?? [port.mac, port.ip], [anyMac, target])
    const outcome = net.send(port, ethernet(broadcastMac, port.mac, 0x0806, packet))
    const [frame] = port.received.splice(0)
    return frame === undefined ? outcome : readArp(frame)
  }

  it.each([
    ['the gateway', '10.20.1.1', gateway],
    ['the resolver', '10.20.1.254', gateway],
    ['another port of the subnet', '10.20.1.3', b],
  ])('is answered for %s', (_, target, mac) => {
    const { a, net } = openNet()
    const reply = { operation: 2, sender: [mac, target], target: [a.mac, a.ip] }
    expect(ask(net, target)).toEqual(reply)
    expect(ask(net, target, [a.mac, '0.0.0.0'])).toEqual(reply)
  })

  it.each([
    ['the own address, with which a host checks that its address is free', '10.20.1.2'],
    ['a free address', '10.20.1.9'],
    ['a port of another subnet', '10.20.2.2'],
  ])('is not answered for %s', (_, target) => {
    expect(ask(openNet().net, target)).toBe('arp_unanswered')
  })

  it('is not answered for a port that is not connected', () => {
    const { b, net } = openNet()
    net.switch.disconnect(b)
    expect(ask(net, b.ip)).toBe('arp_unanswered')
  })

  it('is dropped if the sender is another host', () => {
    const { a, b, net } = openNet()
    expect(ask(net, '10.20.1.1', [a.mac, b.ip])).toBe('arp_sender')
    expect(ask(net, '10.20.1.1', [b.mac, a.ip])).toBe('arp_sender')
  })

  it('reaches no other port: replies and malformed packets are dropped', () => {
    const { a, b, net } = openNet()
    const reply = arp(2, [a.mac, a.ip], [b.mac, b.ip])
    expect(net.send(a, ethernet(b.mac, a.mac, 0x0806, reply))).toBe('arp_unanswered')
    expect(net.send(a, ethernet(b.mac, a.mac, 0x0806, reply.subarray(0, 27)))).toBe('malformed')
    expect(net.send(a, ethernet(b.mac, a.mac, 0x0806, changed(reply, 1)))).toBe('malformed')
    expect(b.received).toEqual([])
  })
})

describe('the services of a subnet', () => {
  it('answer the ping of a gateway, also of the gateway of another subnet', () => {
    const { a, net } = openNet()
    for (const to of ['10.20.1.1', '10.20.2.1']) {
      expect(net.sendIpv4(a, ping(to))).toBe('answered')
      const [frame = Buffer.alloc(0)] = a.received.splice(0)
      expect(readFrame(frame)).toMatchObject({ to: a.mac, from: gateway })
      expect(readIpv4(frame)).toEqual({ from: to, to: a.ip, protocol: 1, ttl: 64, content: echo(0, 77) })
    }
  })

  it('refuse a DNS query to the resolver immediately', () => {
    const { a, net } = openNet()
    const query = Buffer.from('abcd01000001000000000000', 'hex')
    expect(net.sendIpv4(a, { to: '10.20.1.254', protocol: 17, content: udp(5353, 53, query) })).toBe('answered')
    const [frame = Buffer.alloc(0)] = a.received
    const { content, from } = readIpv4(frame)
    expect(from).toBe('10.20.1.254')
    expect([content.readUInt16BE(0), content.readUInt16BE(2)]).toEqual([53, 5353])
    expect(content.subarray(8).toString('hex')).toBe('abcd81050000000000000000')
    const response = udp(5353, 53, Buffer.from('abcd81000001000000000000', 'hex'))
    expect(net.sendIpv4(a, { to: '10.20.1.254', protocol: 17, content: response })).toBe('malformed')
  })

  it.each([
    ['TFTP to the gateway', '10.20.1.1', protocols.UDP, udp(2000, 69)],
    ['TCP to the gateway', '10.20.1.1', protocols.TCP, tcp(2000, 80, 2)],
    ['an echo reply to the gateway', '10.20.1.1', protocols.ICMP, echo(0, 1)],
    ['a ping of the resolver', '10.20.1.254', protocols.ICMP, echo(8, 1)],
    ['an ICMP redirect to the gateway', '10.20.1.1', protocols.ICMP, icmp(5, 0, Buffer.alloc(4))],
  ])('do not answer %s', (_, to, protocol, content) => {
    const { a, net } = openNet()
    expect(net.sendIpv4(a, { to, protocol, content })).toBe('no_service')
  })

  it('are reached through the gateway of the own subnet only', () => {
    const { a, b, net } = openNet()
    const frame = ethernet(b.mac, a.mac, 0x0800, ipv4({ from: a.ip, ...ping('10.20.1.1') }))
    expect(net.send(a, frame)).toBe('wrong_destination')
  })
})
