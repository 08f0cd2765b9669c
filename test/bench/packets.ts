import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { PacketCounts } from '../../domain/network/packets/packet-counts.ts'
import type { VpcRows } from '../../domain/network/packets/switched-vpc.ts'
import type { FirewallPolicyRuleInput } from '../../output/network/types.ts'
import { levels, levelsBytes, type SwitchStart, type ToSwitch } from '../../server/network/switch/messages.ts'
import { seeded } from '../areas/random.ts'
import { randomRule } from '../domain/network/firewall/random-policies.ts'
import { policyOf } from '../domain/network/packets/policies.ts'
import type { BenchMachines } from './measuring/packet-machines.ts'

/**
 * This program prints the number of UDP packets of 106 bytes that pass the switch in a second, over unix sockets
 * between two processes: the thread of the switch in this process, and a process with 8 machines. The packets cross the
 * two subnets of a VPC with 100 rules. In the first measurement the table of connections is full, and each packet
 * belongs to one of its connections. In the second measurement the table is too small, so each packet begins a
 * connection that replaces another connection. The limit is 50,000 packets a second.
 */

const limit = 50_000
const machineCount = 8
const connectionsPerPort = 16_384
const measuredMs = 5000

const random = seeded(17)
const subnets = [
  { id: 's1', cidr_block: '10.20.1.0/24', gateway_address: '10.20.1.1', dns_servers: [] },
  { id: 's2', cidr_block: '10.20.2.0/24', gateway_address: '10.20.2.1', dns_servers: [] },
]
/** The MAC addresses of the gateways: `06` and the first five bytes of the SHA-256 of the id. */
const gateways = ['06:e8:bc:16:3c:82', '06:ad:32:88:46:aa']

/** A rule that allows the packets, behind 99 random rules that deny none of them. */
const rules: readonly FirewallPolicyRuleInput[] = [
  ...Array.from({ length: 99 }, (_, i) => ({
    ...randomRule(random, { subnets }, `rule-${i}`, i),
    action: 'NETWORK_FIREWALL_ACTION_ALLOW' as const,
    protocols: [{ protocol: 'NETWORK_PROTOCOL_TCP' as const }],
  })),
  {
    name: 'allow',
    priority: 1000,
    direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
    action: 'NETWORK_FIREWALL_ACTION_ALLOW',
    protocols: [{ protocol: 'NETWORK_PROTOCOL_UDP', ports: ['53'] }],
  },
]

/** The figures of a measurement: per second, except the number of connections at the end. */
interface Figures {
  /** The packets that the machines have received, by their own count. */
  readonly received: number
  readonly delivered: number
  readonly dropped: number
  readonly connections: number
}

async function measurePackets(connections: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-packets-'))
  const machines = Array.from({ length: machineCount }, (_, i) => ({
    path: join(folder, `${i}.sock`),
    ip: `10.20.${1 + (i % 2)}.${10 + i}`,
    mac: `02:00:00:00:00:0${i}`,
    gatewayMac: gateways[i % 2] ?? '',
  }))
  const ports = machines.map(({ ip, mac }, i) => ({
    id: `port-${i}`,
    ip_address: ip,
    mac_address: mac,
    subnet_id: `s${1 + (i % 2)}`,
    labels: {},
  }))
  const rows: VpcRows = { id: 'vpc', mtu: 1500, subnets, ports, policies: [policyOf(...rules)] }
  const start: SwitchStart = {
    limits: { connections, connectionsPerPort, ports: machineCount },
    seed: 17,
    totals: new SharedArrayBuffer(PacketCounts.bytes),
    levels: new SharedArrayBuffer(levelsBytes),
    isLogging: false,
  }
  const given: BenchMachines = { machines, connections: connectionsPerPort }
  const program = fileURLToPath(new URL('measuring/packet-machines.ts', import.meta.url))
  const process = spawn(globalThis.process.execPath, [program, JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const thread = new Worker(new URL('../../server/network/switch/switch-thread.ts', import.meta.url), {
    workerData: start,
  })
  try {
    const lines = createInterface(process.stdout)
    const count = async (): Promise<number> => Number((await once(lines, 'line'))[0])
    const post = (message: ToSwitch): void => thread.postMessage(message)
    post({ kind: 'vpc', rows })
    for (const [i, { path }] of machines.entries()) post({ kind: 'attach', port: `port-${i}`, path })
    // The first packets fill the table.
    while ((await count()) < 2 * machineCount * connectionsPerPort);
    const totals = new PacketCounts(start.totals)
    const read = async () => ({
      time: performance.now(),
      received: await count(),
      delivered: totals.get('delivered'),
      dropped: totals.get('received') - totals.get('delivered'),
    })
    const before = await read()
    await sleep(measuredMs)
    const after = await read()
    const perSecond = (name: 'received' | 'delivered' | 'dropped') =>
      (1000 * (after[name] - before[name])) / (after.time - before.time)
    return {
      received: perSecond('received'),
      delivered: perSecond('delivered'),
      dropped: perSecond('dropped'),
      connections: new Float64Array(start.levels)[levels.CONNECTIONS] ?? 0,
    }
  } finally {
    const ended = once(process, 'exit')
    process.kill()
    await Promise.all([ended, thread.terminate()])
    rmSync(folder, { recursive: true })
  }
}

for (const [name, connections] of [
  ['packets of the connections of a full table', machineCount * connectionsPerPort],
  ['packets that each replace a connection', 1024],
] as const) {
  const figures = await measurePackets(connections)
  console.log(`\n${name}, a second`)
  for (const [figure, value] of Object.entries({ ...figures, limit }))
    console.log(`  ${figure.padEnd(12)}${Math.round(value).toLocaleString('en').padStart(12)}`)
  if (figures.received < limit) globalThis.process.exitCode = 1
}
