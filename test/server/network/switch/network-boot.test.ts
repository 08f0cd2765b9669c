import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { FirewallPolicyRuleInput } from '../../../../output/network/types.ts'
import { addressBytes, protocols, readFrame, readIpv4 } from '../../../domain/network/packets/frames.ts'
import type { GuestSocket } from './guest-socket.ts'
import { switchedNetwork } from './switched-network.ts'

const program = 'qemu-system-x86_64'
const hasQemu = spawnSync(program, ['--version']).status === 0

/** Starts a machine without disks, whose network device boots from the network, and connects with the device. */
async function bareMachine(folder: string, mac: string): Promise<Socket> {
  const path = join(folder, 'device.sock')
  const machine = ['-M', 'pc,accel=tcg', '-m', '32', '-nodefaults', '-no-user-config', '-display', 'none']
  const device = ['-netdev', 'stream,id=nic0,server=on,addr.type=unix,addr.path=device.sock']
  const nic = ['-device', `virtio-net-pci,netdev=nic0,mac=${mac},bootindex=1`]
  const process = spawn(program, [...machine, ...device, ...nic], { cwd: folder, stdio: 'inherit' })
  onTestFinished(async () => {
    const ended = once(process, 'exit')
    process.kill('SIGKILL')
    await ended
  })
  await expect.poll(() => existsSync(path)).toBe(true)
  const socket = connect(path)
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  return socket
}

/**
 * Passes the frames between the device of a machine and the switch, and names a server and a file in each answer of
 * DHCP, because a machine requests a file only then. The switch itself names none.
 */
async function passFrames(device: Socket, guest: GuestSocket, gateway: string, isEnded: () => boolean): Promise<void> {
  // Frames that the device sends to no switch are lost.
  device.on('data', bytes => {
    if (guest.isConnected) guest.write(bytes)
  })
  while (!isEnded()) {
    const frame = await guest.next()
    if (isDhcp(frame)) {
      addressBytes(gateway).copy(frame, dhcpStart + 20)
      frame.write('boot.ipxe', dhcpStart + 108)
      // A checksum of 0 stands for none (RFC 768).
      frame.writeUInt16BE(0, dhcpStart - 2)
    }
    const prefix = Buffer.alloc(4)
    prefix.writeUInt32BE(frame.length)
    device.write(Buffer.concat([prefix, frame]))
  }
}

/** The offset of the DHCP message in its frame. */
const dhcpStart = 14 + 20 + 8

const isDhcp = (frame: Buffer): boolean =>
  readFrame(frame).type === 0x0800 &&
  readIpv4(frame).protocol === protocols.UDP &&
  readIpv4(frame).content.readUInt16BE(0) === 67

it('a bare network device of QEMU gets its address by DHCP, and its denied TFTP request is counted', async context => {
  if (!hasQemu) return context.skip('QEMU is not installed: install qemu-system-x86 and ipxe-qemu to run this test')
  const net = await switchedNetwork()
  const vpc = await net.vpc('net-1', '10.20.0.0/16')
  const path = { workspace: net.workspace, engine: 'native' }
  const body = { name: 'deny-tftp', vpc_id: vpc }
  const firewall_policy = (await net.api.network.createFirewallPolicy({ ...path, body })).resource_id
  const rule: FirewallPolicyRuleInput = {
    name: 'deny-tftp',
    priority: 10,
    direction: 'NETWORK_FIREWALL_DIRECTION_EGRESS',
    action: 'NETWORK_FIREWALL_ACTION_DENY',
    protocols: [{ protocol: 'NETWORK_PROTOCOL_UDP', ports: ['69'] }],
  }
  await net.api.network.addFirewallPolicyRule({ ...path, firewall_policy, body: { rule } })
  const guest = await net.guest('bare', await net.subnet(vpc, 's1', '10.20.1.0/24'))
  const device = await bareMachine(net.folder, guest.mac)
  let isEnded = false
  onTestFinished(() => void (isEnded = true))
  void passFrames(device, guest.socket, '10.20.1.1', () => isEnded)
  const denied = () => net.metric('ninefold_network_frames_dropped_total{reason="firewall_egress"}')
  while ((await denied()) === 0) await sleep(250)
  const isLogged = () =>
    net.platform.lines.some(line => line.includes('was detached') && line.includes('firewall_egress'))
  net.wires.detach(guest.port)
  await expect.poll(isLogged).toBe(true)
})
