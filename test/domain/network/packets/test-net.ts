import type { ConnectionRecord } from '../../../../domain/network/packets/connection-record.ts'
import { PacketCounts, type CountName } from '../../../../domain/network/packets/packet-counts.ts'
import { PacketSwitch, type ConnectedPort } from '../../../../domain/network/packets/packet-switch.ts'
import type { VpcRows } from '../../../../domain/network/packets/switched-vpc.ts'
import type { PolicyWithRules } from '../../../../domain/network/firewall/rule-selection.ts'
import type { FirewallPolicyRuleInput } from '../../../../output/network/types.ts'
import { ethernet, ipv4, type Bytes, type Ipv4Form } from './frames.ts'
import { policyOf } from './policies.ts'

/** A port of the tests, with the frames that have reached it. */
export interface TestPort extends ConnectedPort {
  readonly ip: string
  readonly mac: string
  readonly subnet: string
  readonly vpc: string
  readonly received: Bytes[]
  /** Whether the port reads no frames. */
  isSlow: boolean
  send: ConnectedPort['send']
}

export const limits = { connections: 64, connectionsPerPort: 16, ports: 16 }

/** Returns a rule that allows all new connections to ports. */
export const allowAll: FirewallPolicyRuleInput = {
  name: 'allow-all',
  priority: 60_000,
  direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
  action: 'NETWORK_FIREWALL_ACTION_ALLOW',
  protocols: [{ protocol: 'NETWORK_PROTOCOL_ANY' }],
}

const subnets = [
  { id: 's1', cidr_block: '10.20.1.0/24', gateway_address: '10.20.1.1', dns_servers: [] },
  { id: 's2', cidr_block: '10.20.2.0/24', gateway_address: '10.20.2.1', dns_servers: ['9.9.9.9', '1.1.1.1'] },
]

/**
 * A switch with ports whose frames are kept in memory, and a clock that the test sets. VPC `red` has the subnets s1 and
 * s2; VPC `blue` has the same addresses in its own subnets, with the ids `blue-s1` and `blue-s2`.
 */
export class TestNet {
  readonly totals = new PacketCounts()
  readonly records: ConnectionRecord[] = []
  readonly ports = new Map<string, TestPort>()
  now = 1_000_000
  readonly switch: PacketSwitch
  readonly #policies = new Map<string, readonly PolicyWithRules[]>()

  constructor(chosen: Partial<typeof limits> = {}, seed = 1) {
    const outputs = { totals: this.totals, log: (record: ConnectionRecord) => void this.records.push(record) }
    this.switch = new PacketSwitch({ ...limits, ...chosen }, outputs, seed)
  }

  /** Adds a connected port with the address `10.20.<subnet>.<host>`. */
  add(name: string, subnet: 1 | 2, host: number, vpc: 'red' | 'blue' = 'red'): TestPort {
    const number = this.ports.size
    const port: TestPort = {
      id: name,
      number,
      ip: `10.20.${subnet}.${host}`,
      mac: `02:00:00:00:${vpc === 'red' ? '00' : '01'}:${number.toString(16).padStart(2, '0')}`,
      subnet: vpc === 'red' ? `s${subnet}` : `blue-s${subnet}`,
      vpc,
      counts: new PacketCounts(),
      received: [],
      isSlow: false,
      send(bytes, start, end) {
        if (port.isSlow) return false
        port.received.push(Buffer.from(bytes.slice(start, end)))
        return true
      },
    }
    this.ports.set(name, port)
    this.switch.connect(port)
    this.refresh(vpc)
    return port
  }

  /** Sets the rules of a VPC; without a call, a VPC has the implied rules. */
  setRules(vpc: 'red' | 'blue', ...rules: readonly FirewallPolicyRuleInput[]): void {
    this.#policies.set(vpc, [policyOf(...rules)])
    this.refresh(vpc)
  }

  refresh(vpc: 'red' | 'blue'): void {
    this.switch.setVpc(this.rowsOf(vpc))
  }

  rowsOf(vpc: 'red' | 'blue'): VpcRows {
    const prefix = vpc === 'red' ? '' : 'blue-'
    const ports = [...this.ports.values()].filter(port => port.vpc === vpc)
    return {
      id: vpc,
      mtu: 1400,
      subnets: subnets.map(subnet => ({ ...subnet, id: prefix + subnet.id })),
      ports: ports.map(({ id, ip, mac, subnet }) => ({
        id,
        ip_address: ip,
        mac_address: mac,
        subnet_id: subnet,
        labels: { name: id },
      })),
      policies: this.#policies.get(vpc) ?? [],
    }
  }

  /** Lets a port send a frame, and returns the count that the frame has raised other than `received`. */
  send(port: TestPort, frame: Bytes): CountName | undefined {
    const before = this.totals.toJSON()
    this.switch.receive(port, Buffer.concat([frame]), 0, frame.length, this.now)
    const raised = Object.entries(this.totals.toJSON()).filter(([name, value]) => value !== (before[name] ?? 0))
    const names = raised.map(([name]) => name).filter(name => name !== 'received')
    // The names of the counts are the members of `PacketCounts`.
    return names.length === 1 ? (names[0] as CountName) : undefined
  }

  /** Lets a port send an IPv4 packet: directly to a port of its subnet, or else through its gateway. */
  sendIpv4(port: TestPort, form: Omit<Ipv4Form, 'from'> & { readonly from?: string }): CountName | undefined {
    const packet = ipv4({ from: port.ip, ...form })
    const near = [...this.ports.values()].find(({ ip, subnet }) => ip === form.to && subnet === port.subnet)
    return this.send(port, ethernet(near?.mac ?? this.gatewayMac(port), port.mac, 0x0800, packet))
  }

  /** Returns the MAC address of the gateway of a port, as ARP answers it. */
  gatewayMac(port: TestPort): string {
    return gatewayMacs.get(port.subnet) ?? ''
  }
}

/** The gateways have `06` and the first five bytes of the SHA-256 of the subnet's id. */
const gatewayMacs = new Map([
  ['s1', '06:e8:bc:16:3c:82'],
  ['s2', '06:ad:32:88:46:aa'],
  ['blue-s1', '06:67:c7:fb:f3:f9'],
  ['blue-s2', '06:52:ca:2f:2a:14'],
])
