import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FirewallPolicyRuleInput, ProtocolMatchInput } from '../../../../output/network/types.ts'
import {
  arp,
  broadcastMac,
  dhcp,
  echo,
  ethernet,
  ipv4,
  protocols,
  readArp,
  readDhcp,
  readFrame,
  readIpv4,
  tcp,
  udp,
  type Bytes,
} from '../../../domain/network/packets/frames.ts'
import { GuestSocket } from './guest-socket.ts'
import { switchedNetwork, type Guest, type SwitchedNetwork } from './switched-network.ts'

const engine = 'native'
const anyMac = '00:00:00:00:00:00'

async function addRule(net: SwitchedNetwork, vpc: string, rule: FirewallPolicyRuleInput): Promise<void> {
  const path = { workspace: net.workspace, engine }
  const body = { name: rule.name, vpc_id: vpc, priority: rule.priority }
  const policy = (await net.api.network.createFirewallPolicy({ ...path, body })).resource_id
  await net.api.network.addFirewallPolicyRule({ ...path, firewall_policy: policy, body: { rule } })
}

const allow: FirewallPolicyRuleInput = {
  name: 'allow',
  priority: 1000,
  direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
  action: 'NETWORK_FIREWALL_ACTION_ALLOW',
  protocols: [{ protocol: 'NETWORK_PROTOCOL_ICMP' }, { protocol: 'NETWORK_PROTOCOL_TCP', ports: ['80'] }],
}
const denyPing: FirewallPolicyRuleInput = {
  ...allow,
  name: 'deny',
  priority: 10,
  action: 'NETWORK_FIREWALL_ACTION_DENY',
  protocols: [{ protocol: 'NETWORK_PROTOCOL_ICMP' }],
}

/** Asks for a MAC address by ARP until the switch answers, which it does once it has read the rows of the port. */
async function macOf(guest: Guest, target: string): Promise<string> {
  const request = ethernet(broadcastMac, guest.mac, 0x0806, arp(1, [guest.mac, guest.ip], [anyMac, target]))
  guest.socket.send(request)
  const timer = setInterval(() => guest.socket.send(request), 100)
  const frame = await guest.socket.next().finally(() => clearInterval(timer))
  return readArp(frame).sender[0] ?? ''
}

/** Returns the next packet of a protocol at a guest. Other frames, such as further answers to ARP, are dropped. */
async function nextOf(guest: Guest, protocol: number) {
  for (;;) {
    const frame = await guest.socket.next()
    if (readFrame(frame).type === 0x0800 && readIpv4(frame).protocol === protocol) return { ...readIpv4(frame), frame }
  }
}

/** Returns a packet of a guest in an Ethernet frame to a MAC address. */
const packet = (guest: Guest, mac: string, to: string, protocol: number, content: Bytes): Bytes =>
  ethernet(mac, guest.mac, 0x0800, ipv4({ from: guest.ip, to, protocol, content }))

async function twoSubnets() {
  const net = await switchedNetwork()
  const vpc = await net.vpc('net-1', '10.20.0.0/16')
  const [one, other] = [await net.subnet(vpc, 's1', '10.20.1.0/24'), await net.subnet(vpc, 's2', '10.20.2.0/24')]
  await addRule(net, vpc, allow)
  const [a, b] = [await net.guest('a', one), await net.guest('b', other)]
  return { net, vpc, one, other, a, b, gateway: await macOf(a, '10.20.1.1'), back: await macOf(b, '10.20.2.1') }
}

describe('the switch of a server', () => {
  it('gives a guest its address by DHCP', async () => {
    const { a } = await twoSubnets()
    const content = udp(68, 67, dhcp({ kind: 1, mac: a.mac }))
    const request = { from: '0.0.0.0', to: '255.255.255.255', protocol: protocols.UDP, content }
    a.socket.send(ethernet(broadcastMac, a.mac, 0x0800, ipv4(request)))
    expect(readDhcp((await nextOf(a, protocols.UDP)).frame)).toMatchObject({
      yourAddress: a.ip,
      options: { 3: '0a140101', 53: '02' },
    })
  })

  it('passes a ping and a TCP handshake between subnets, until a rule denies the ping', async () => {
    const { a, b, back, gateway, net, vpc } = await twoSubnets()
    const ping = packet(a, gateway, b.ip, protocols.ICMP, echo(8, 7))
    a.socket.send(ping)
    expect(await nextOf(b, protocols.ICMP)).toMatchObject({ from: a.ip, content: echo(8, 7), ttl: 63 })
    b.socket.send(packet(b, back, a.ip, protocols.ICMP, echo(0, 7)))
    expect(await nextOf(a, protocols.ICMP)).toMatchObject({ from: b.ip, content: echo(0, 7) })
    a.socket.send(packet(a, gateway, b.ip, protocols.TCP, tcp(1000, 80, 2)))
    expect((await nextOf(b, protocols.TCP)).content).toEqual(tcp(1000, 80, 2))
    b.socket.send(packet(b, back, a.ip, protocols.TCP, tcp(80, 1000, 0x12)))
    expect((await nextOf(a, protocols.TCP)).content).toEqual(tcp(80, 1000, 0x12))
    expect(await net.metric('ninefold_network_connections')).toBe(2)
    await addRule(net, vpc, denyPing)
    await expect
      .poll(async () => {
        a.socket.send(ping)
        return net.metric('ninefold_network_frames_dropped_total{reason="firewall_ingress"}')
      })
      .toBeGreaterThan(0)
    a.socket.send(packet(a, gateway, b.ip, protocols.TCP, tcp(1000, 80, 0x10)))
    expect((await nextOf(b, protocols.TCP)).content).toEqual(tcp(1000, 80, 0x10))
  })

  it('counts denied frames in /metrics, and logs the counts of a port that is detached', async () => {
    const { a, gateway, net, vpc } = await twoSubnets()
    const tftp: ProtocolMatchInput = { protocol: 'NETWORK_PROTOCOL_UDP', ports: ['69'] }
    await addRule(net, vpc, { ...denyPing, direction: 'NETWORK_FIREWALL_DIRECTION_EGRESS', protocols: [tftp] })
    const series = 'ninefold_network_frames_dropped_total{reason="firewall_egress"}'
    await expect
      .poll(async () => {
        a.socket.send(packet(a, gateway, '10.20.1.1', protocols.UDP, udp(2000, 69)))
        return net.metric(series)
      })
      .toBeGreaterThan(0)
    net.wires.detach(a.port)
    const isLogged = () =>
      net.platform.lines.some(line => line.includes('detached') && line.includes('firewall_egress'))
    await expect.poll(isLogged).toBe(true)
    await expect.poll(() => a.socket.isConnected).toBe(false)
    await expect.poll(() => net.metric('ninefold_network_ports_connected')).toBe(1)
  })

  it('connects again after the machine has ended the connection, and after a stream that has no frames', async () => {
    const { a } = await twoSubnets()
    a.socket.cut()
    await expect.poll(() => a.socket.connections).toBe(2)
    await macOf(a, '10.20.1.1')
    a.socket.write(Buffer.alloc(8, 0xff))
    await expect.poll(() => a.socket.connections).toBe(3)
    await macOf(a, '10.20.1.1')
  })

  it('reaches a socket whose path is longer than the kernel permits, as soon as the socket exists', async () => {
    const net = await switchedNetwork()
    const subnet = await net.subnet(await net.vpc('net-1', '10.20.0.0/16'), 's1', '10.20.1.0/24')
    const { id } = await net.portOf(await net.machine('a', subnet))
    const folder = join(net.folder, 'f'.repeat(120))
    net.wires.attach(id, join(folder, 'nic0.sock'))
    mkdirSync(folder)
    const short = openSync(folder, 'r')
    const socket = await GuestSocket.listen(`/proc/self/fd/${short}/nic0.sock`)
    try {
      await expect.poll(() => socket.isConnected).toBe(true)
    } finally {
      net.wires.detach(id)
      await socket.close()
      closeSync(short)
    }
  })

  it('drops the frames for a guest that does not read, and delivers again once the guest reads', async () => {
    const { a, b, gateway, net } = await twoSubnets()
    b.socket.setReading(false)
    const ping = packet(a, gateway, b.ip, protocols.ICMP, Buffer.concat([echo(8, 7), Buffer.alloc(1300)]))
    const series = 'ninefold_network_frames_dropped_total{reason="slow_port"}'
    await expect
      .poll(async () => {
        a.socket.send(...Array.from({ length: 200 }, () => ping))
        return net.metric(series)
      })
      .toBeGreaterThan(0)
    b.socket.setReading(true)
    const handshake = packet(a, gateway, b.ip, protocols.TCP, tcp(1000, 80, 2))
    const timer = setInterval(() => a.socket.send(handshake), 100)
    const { content } = await nextOf(b, protocols.TCP).finally(() => clearInterval(timer))
    expect(content).toEqual(tcp(1000, 80, 2))
  })

  it('follows the rows: a machine that is deleted has no network', async () => {
    const { a, b, gateway, net } = await twoSubnets()
    const { attachment } = await net.api.network.getLogicalPort({ workspace: net.workspace, engine, id: b.port })
    await net.deleteMachine(attachment?.resource_id ?? '')
    await expect
      .poll(async () => {
        a.socket.send(packet(a, gateway, b.ip, protocols.ICMP, echo(8, 7)))
        return net.metric('ninefold_network_frames_dropped_total{reason="no_destination"}')
      })
      .toBeGreaterThan(0)
  })
})
