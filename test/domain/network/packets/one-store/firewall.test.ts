import { describe, expect, it } from 'vitest'
import type { FirewallPolicyRuleInput } from '../../../../../output/network/types.ts'
import { allow } from '../../firewall/rule-bodies.ts'
import { echo, icmp, ipv4, protocols, tcp, udp } from '../frames.ts'
import { TestNet, type TestPort } from '../test-net.ts'

const flags = { fin: 0x11, syn: 0x02, synAck: 0x12, ack: 0x10, rst: 0x04 } as const

function openNet(chosen?: { connections?: number; connectionsPerPort?: number }) {
  const net = new TestNet(chosen)
  return { net, client: net.add('client', 1, 2), server: net.add('server', 2, 2) }
}

const tcpTo = (net: TestNet, from: TestPort, to: TestPort, ports: readonly [number, number], flag: number) =>
  net.sendIpv4(from, { to: to.ip, protocol: protocols.TCP, content: tcp(...ports, flag) })
const udpTo = (net: TestNet, from: TestPort, to: TestPort, ports: readonly [number, number]) =>
  net.sendIpv4(from, { to: to.ip, protocol: protocols.UDP, content: udp(...ports) })
const pingTo = (net: TestNet, from: TestPort, to: TestPort, type: 0 | 8, identifier = 5) =>
  net.sendIpv4(from, { to: to.ip, protocol: protocols.ICMP, content: echo(type, identifier) })

const allowTcp = allow('allow-80', 100, 'NETWORK_PROTOCOL_TCP', ['80'])
const allowUdp = allow('allow-53', 101, 'NETWORK_PROTOCOL_UDP', ['53'])
const allowPing: FirewallPolicyRuleInput = {
  ...allow('allow-ping', 102, 'NETWORK_PROTOCOL_ICMP'),
  protocols: [{ protocol: 'NETWORK_PROTOCOL_ICMP', icmp_type: 8 }],
}
const denyEgress: FirewallPolicyRuleInput = {
  ...allow('deny-tftp', 10, 'NETWORK_PROTOCOL_UDP', ['69']),
  direction: 'NETWORK_FIREWALL_DIRECTION_EGRESS',
  action: 'NETWORK_FIREWALL_ACTION_DENY',
}

describe('the firewall of the switch', () => {
  it('denies new connections to a port, and allows them with a rule', () => {
    const { client, net, server } = openNet()
    expect(tcpTo(net, client, server, [1000, 80], flags.syn)).toBe('firewall_ingress')
    net.setRules('red', allowTcp)
    expect(tcpTo(net, client, server, [1000, 80], flags.syn)).toBe('delivered')
    expect(tcpTo(net, client, server, [1000, 81], flags.syn)).toBe('firewall_ingress')
  })

  it('lets the packets of an allowed connection pass in both directions, and no other packet of its ends', () => {
    const { client, net, server } = openNet()
    net.setRules('red', allowTcp)
    expect(tcpTo(net, client, server, [1000, 80], flags.syn)).toBe('delivered')
    expect(tcpTo(net, server, client, [80, 1000], flags.synAck)).toBe('delivered')
    expect(tcpTo(net, client, server, [1000, 80], flags.ack)).toBe('delivered')
    expect(tcpTo(net, server, client, [80, 1001], flags.syn)).toBe('firewall_ingress')
    expect(tcpTo(net, server, client, [1000, 81], flags.syn)).toBe('firewall_ingress')
    expect(udpTo(net, server, client, [80, 1000])).toBe('firewall_ingress')
  })

  it('lets the reply to a ping pass, and no ping in the other direction, whatever its identifier', () => {
    const { client, net, server } = openNet()
    net.setRules('red', { ...allowPing, targets: { vm_labels: { name: 'server' } } })
    expect(pingTo(net, client, server, 8)).toBe('delivered')
    expect(pingTo(net, server, client, 0)).toBe('delivered')
    expect(pingTo(net, server, client, 8)).toBe('firewall_ingress')
    expect(pingTo(net, server, client, 0, 6)).toBe('firewall_ingress')
  })

  it('counts a TFTP request to the gateway as denied egress', () => {
    const { client, net } = openNet()
    const request = { to: '10.20.1.1', protocol: protocols.UDP, content: udp(2000, 69) }
    expect(net.sendIpv4(client, request)).toBe('no_service')
    net.setRules('red', denyEgress)
    expect(net.sendIpv4(client, request)).toBe('firewall_egress')
    expect(net.sendIpv4(client, { ...request, to: '8.8.8.8' })).toBe('firewall_egress')
    expect(client.counts.get('firewall_egress')).toBe(2)
  })

  it.each([
    [
      'UDP',
      60_000,
      (net: TestNet, from: TestPort, to: TestPort) => udpTo(net, from, to, from.id === 'client' ? [9, 53] : [53, 9]),
    ],
    [
      'ICMP',
      30_000,
      (net: TestNet, from: TestPort, to: TestPort) => pingTo(net, from, to, from.id === 'client' ? 8 : 0),
    ],
    [
      'TCP',
      3_600_000,
      (net: TestNet, from: TestPort, to: TestPort) =>
        tcpTo(net, from, to, from.id === 'client' ? [9, 80] : [80, 9], flags.ack),
    ],
  ])('ends a connection of %s after %d ms without a packet', (_, idleMs, send) => {
    const { client, net, server } = openNet()
    net.setRules('red', allowTcp, allowUdp, allowPing)
    expect(send(net, client, server)).toBe('delivered')
    net.now += idleMs - 1
    expect(send(net, server, client)).toBe('delivered')
    net.now += idleMs - 1
    expect(send(net, server, client)).toBe('delivered')
    net.now += idleMs
    expect(send(net, server, client)).toBe('firewall_ingress')
  })

  it.each([
    ['both ends have closed', ['client', 'server'] as const, flags.fin],
    ['an end has reset', ['server'] as const, flags.rst],
  ])('ends a TCP connection 30 s after %s', (_, senders, flag) => {
    const { client, net, server } = openNet()
    net.setRules('red', allowTcp)
    tcpTo(net, client, server, [9, 80], flags.syn)
    for (const sender of senders)
      if (sender === 'client') tcpTo(net, client, server, [9, 80], flag)
      else tcpTo(net, server, client, [80, 9], flag)
    net.now += 29_999
    expect(tcpTo(net, server, client, [80, 9], flags.ack)).toBe('delivered')
    net.now += 30_000
    expect(tcpTo(net, server, client, [80, 9], flags.ack)).toBe('firewall_ingress')
  })

  it('keeps a connection that one end has closed, and a closed connection that begins again', () => {
    const { client, net, server } = openNet()
    net.setRules('red', allowTcp)
    tcpTo(net, client, server, [9, 80], flags.syn)
    tcpTo(net, client, server, [9, 80], flags.fin)
    net.now += 60_000
    expect(tcpTo(net, server, client, [80, 9], flags.fin)).toBe('delivered')
    tcpTo(net, client, server, [9, 80], flags.syn)
    net.now += 60_000
    expect(tcpTo(net, server, client, [80, 9], flags.ack)).toBe('delivered')
  })

  it('applies changed rules to the connections that exist', () => {
    const { client, net, server } = openNet()
    net.setRules('red', allowPing, allowTcp)
    pingTo(net, client, server, 8)
    tcpTo(net, client, server, [9, 80], flags.syn)
    net.setRules('red', { ...allowPing, action: 'NETWORK_FIREWALL_ACTION_DENY' }, allowTcp)
    expect(pingTo(net, server, client, 0)).toBe('firewall_ingress')
    expect(pingTo(net, client, server, 8)).toBe('firewall_ingress')
    // The connection whose rule stays goes on in both directions.
    expect(tcpTo(net, server, client, [80, 9], flags.synAck)).toBe('delivered')
    net.setRules('red', allowTcp, { ...denyEgress, protocols: [{ protocol: 'NETWORK_PROTOCOL_ANY' }] })
    expect(tcpTo(net, client, server, [9, 80], flags.ack)).toBe('firewall_egress')
  })

  it('lets an ICMP error about a packet of a connection pass, and no other error', () => {
    const { client, net, server } = openNet()
    net.setRules('red', allowUdp)
    udpTo(net, client, server, [9, 53])
    const quoting = (from: string, to: string, ports: readonly [number, number], type = 3) => {
      const quoted = ipv4({ from, to, protocol: protocols.UDP, content: udp(...ports) })
      const content = icmp(type, 3, Buffer.alloc(4), quoted.subarray(0, 28))
      return net.sendIpv4(server, { to: client.ip, protocol: protocols.ICMP, content })
    }
    expect(quoting(client.ip, server.ip, [9, 53])).toBe('delivered')
    expect(quoting(client.ip, server.ip, [9, 54])).toBe('firewall_ingress')
    expect(quoting(client.ip, '10.20.1.77', [9, 53])).toBe('firewall_ingress')
    expect(quoting(client.ip, server.ip, [9, 53], 5)).toBe('firewall_ingress')
  })

  it('replaces the least recently used connection of a port that has its limit of connections', () => {
    const { client, net, server } = openNet({ connectionsPerPort: 3 })
    net.setRules('red', allowUdp)
    for (const port of [1, 2, 3]) udpTo(net, client, server, [port, 53])
    udpTo(net, client, server, [1, 53])
    udpTo(net, client, server, [4, 53])
    expect([1, 2, 3, 4].map(port => udpTo(net, server, client, [53, port]))).toEqual([
      'delivered',
      'firewall_ingress',
      'delivered',
      'delivered',
    ])
    expect(net.switch.connectionCount).toBe(3)
  })

  it('replaces a connection of the port with the most connections when the table is full', () => {
    const { client, net, server } = openNet({ connections: 8 })
    const quiet = net.add('quiet', 1, 3)
    net.setRules('red', allowUdp)
    udpTo(net, quiet, server, [1, 53])
    for (let port = 1; port <= 100; port += 1) udpTo(net, client, server, [port, 53])
    expect(net.switch.connectionCount).toBe(8)
    expect(udpTo(net, server, quiet, [53, 1])).toBe('delivered')
  })

  it('ends the connections of a released port and idle connections', () => {
    const { client, net, server } = openNet()
    net.setRules('red', allowUdp, allowTcp)
    for (const port of [1, 2, 3]) udpTo(net, client, server, [port, 53])
    tcpTo(net, client, server, [1, 80], flags.syn)
    net.now += 60_000
    net.switch.sweep(1000, net.now)
    expect(net.switch.connectionCount).toBe(1)
    net.switch.release(client.number)
    expect(net.switch.connectionCount).toBe(0)
    expect(tcpTo(net, server, client, [80, 1], flags.ack)).toBe('firewall_ingress')
  })

  it('records new connections that a rule with log matches', () => {
    const { client, net, server } = openNet()
    net.setRules('red', { ...allowTcp, log: true }, { ...denyEgress, log: true }, allowUdp)
    tcpTo(net, client, server, [9, 80], flags.syn)
    tcpTo(net, server, client, [80, 9], flags.synAck)
    udpTo(net, client, server, [9, 53])
    udpTo(net, client, server, [9, 69])
    const ends = { vpc_id: 'red', source: 0x0a140102, destination: 0x0a140202, source_port: 9 }
    expect(net.records).toEqual([
      {
        ...ends,
        rule_id: 'allow-80',
        port_id: 'server',
        direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
        action: 'NETWORK_FIREWALL_ACTION_ALLOW',
        protocol: 'TCP',
        destination_port: 80,
      },
      {
        ...ends,
        rule_id: 'deny-tftp',
        port_id: 'client',
        direction: 'NETWORK_FIREWALL_DIRECTION_EGRESS',
        action: 'NETWORK_FIREWALL_ACTION_DENY',
        protocol: 'UDP',
        destination_port: 69,
      },
    ])
  })
})
