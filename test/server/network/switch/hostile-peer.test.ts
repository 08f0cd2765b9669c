import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FirewallPolicyRuleInput } from '../../../../output/network/types.ts'
import {
  arp,
  broadcastMac,
  echo,
  ethernet,
  ipv4,
  protocols,
  readFrame,
  readIpv4,
} from '../../../domain/network/packets/frames.ts'
import { switchedNetwork, type Guest, type SwitchedNetwork } from './switched-network.ts'

const engine = 'native'

const allowAll: FirewallPolicyRuleInput = {
  name: 'allow',
  priority: 1000,
  direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
  action: 'NETWORK_FIREWALL_ACTION_ALLOW',
  protocols: [{ protocol: 'NETWORK_PROTOCOL_ICMP' }],
}

/** Creates a VPC with a subnet; all VPCs have the same addresses. */
async function openVpc({ api, subnet, vpc, workspace }: SwitchedNetwork, name: string): Promise<string> {
  const id = await vpc(name, '10.20.0.0/16')
  const body = { name, vpc_id: id, priority: 1000 }
  const policy = (await api.network.createFirewallPolicy({ workspace, engine, body })).resource_id
  const rule = { workspace, engine, firewall_policy: policy, body: { rule: allowAll } }
  await api.network.addFirewallPolicyRule(rule)
  return subnet(id, name, '10.20.1.0/24')
}

/** Sends pings from one guest to another until a ping arrives; the rows of the ports may not have been read yet. */
async function pinged(from: Guest, to: Guest): Promise<void> {
  const ask = ethernet(broadcastMac, from.mac, 0x0806, arp(1, [from.mac, from.ip], ['00:00:00:00:00:00', to.ip]))
  const content = ipv4({ from: from.ip, to: to.ip, protocol: protocols.ICMP, content: echo(8, 7) })
  const send = (): void => {
    if (from.socket.isConnected) from.socket.send(ask, ethernet(to.mac, from.mac, 0x0800, content))
  }
  const timer = setInterval(send, 50)
  try {
    send()
    for (;;) {
      const frame = await to.socket.next()
      if (readFrame(frame).type === 0x0800 && readIpv4(frame).from === from.ip) return
    }
  } finally {
    clearInterval(timer)
  }
}

/** Numbers of bytes as lengths before frames. */
const lengths = (...values: readonly number[]): Buffer =>
  Buffer.concat(
    values.map(value => {
      const prefix = Buffer.alloc(4)
      prefix.writeUInt32BE(value)
      return prefix
    }),
  )

/** The growth of the process in bytes that a sound switch cannot cause, and a switch that believes a length does. */
const mostGrowth = 256 * 2 ** 20

/** Streams that no machine sends, by name. */
const streams: Readonly<Record<string, Buffer>> = {
  'empty frames': lengths(...Array.from({ length: 10_000 }, () => 0)),
  'the largest length': lengths(2 ** 32 - 1),
  'a length of half of the memory': lengths(2 ** 31),
  'a length without its frame': lengths(1500),
  'half of a length': Buffer.from([0, 0]),
  'too long frames': Buffer.concat([lengths(60_000), Buffer.alloc(60_000), lengths(60_000), Buffer.alloc(59_999)]),
  'bytes in disorder': Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7919 * (i + 13)) & 255)),
  'a flood of broadcasts': Buffer.concat(
    Array.from({ length: 2000 }, () => Buffer.concat([lengths(60), Buffer.alloc(60, 0xff)])),
  ),
}

describe('the switch of a server beside a hostile machine', () => {
  it('serves the other machines, and lets no frame into another VPC, in bounded memory', async () => {
    const net = await switchedNetwork()
    const [mine, other] = [await openVpc(net, 'one'), await openVpc(net, 'two')]
    const [evil, a, b] = [await net.guest('evil', mine), await net.guest('a', mine), await net.guest('b', mine)]
    // The silent machine has the address of `b`, in the other VPC.
    const [x, y, silent] = [await net.guest('x', other), await net.guest('y', other), await net.guest('z', other)]
    expect(silent.ip).toBe(b.ip)
    await pinged(a, b)
    await pinged(x, y)
    const before = process.memoryUsage().rss
    for (const [name, bytes] of Object.entries(streams)) {
      for (let round = 0; round < 2; round += 1) {
        await expect.poll(() => evil.socket.isConnected, { message: name }).toBe(true)
        for (let i = 0; i < 20; i += 1) evil.socket.write(bytes)
        await pinged(a, b)
        evil.socket.cut()
      }
    }
    await pinged(x, y)
    expect(process.memoryUsage().rss - before).toBeLessThan(mostGrowth)
    expect(silent.socket.untaken).toBe(0)
  })

  it('starts again after its thread has ended, and connects all ports', async () => {
    const threads: Worker[] = []
    const note = (thread: Worker): void => void threads.push(thread)
    process.on('worker', note)
    onTestFinished(() => void process.off('worker', note))
    const net = await switchedNetwork()
    const subnet = await openVpc(net, 'one')
    const [a, b] = [await net.guest('a', subnet), await net.guest('b', subnet)]
    await pinged(a, b)
    for (let round = 1; round < 3; round += 1) {
      const thread = threads.at(-1)
      if (!thread) throw new Error('the switch has no thread')
      await Promise.all([once(thread, 'exit'), thread.terminate()])
      await expect.poll(() => a.socket.connections).toBe(1 + round)
      await pinged(a, b)
    }
    // Frames are counted since the start of the server, also those of the former threads.
    expect(await net.metric('ninefold_network_frames_delivered_total')).toBeGreaterThanOrEqual(3)
    expect(await net.metric('ninefold_network_ports_connected')).toBe(2)
  })
})
