import type { Packet } from '../../../../domain/network/firewall/evaluate.ts'
import { formatAddress, parseBlock } from '../../../../domain/addresses/ipv4.ts'
import type {
  FirewallPolicyRuleInput,
  FirewallPeersInput,
  FirewallTargetsInput,
  ProtocolMatchInput,
} from '../../../../output/network/types.ts'
import type { Random } from '../../../areas/random.ts'

/** The parts of a VPC that random rules name. */
export interface RandomVpc {
  readonly subnets: readonly { readonly id: string; readonly cidr_block: string }[]
}

const labelKeys = ['role', 'tier']
const labelValues = ['web', 'db']
const ports = [1, 22, 80, 443, 8000, 8050, 8100, 65_535]

/** The address near which the ranges of random rules begin and end. */
const centre = 10 * 2 ** 24 + 20 * 2 ** 16

/** Returns up to two random labels, keyed by the key of the label. */
export function randomLabels(random: Random): Record<string, string> {
  const keys = labelKeys.filter(() => random.percent(50))
  return Object.fromEntries(keys.map(key => [key, random.oneOf(labelValues)]))
}

/** Returns the body of a rule that names subnets of the VPC; its ranges lie near 10.20.0.0. */
export function randomRule(random: Random, vpc: RandomVpc, name: string, priority: number): FirewallPolicyRuleInput {
  return {
    name,
    priority,
    direction: random.percent(60) ? 'NETWORK_FIREWALL_DIRECTION_INGRESS' : 'NETWORK_FIREWALL_DIRECTION_EGRESS',
    action: random.percent(50) ? 'NETWORK_FIREWALL_ACTION_ALLOW' : 'NETWORK_FIREWALL_ACTION_DENY',
    enabled: random.percent(85),
    protocols: Array.from({ length: 1 + random.below(2) }, () => randomMatch(random)),
    ...(random.percent(92) && { peers: randomPeers(random, vpc) }),
    ...(random.percent(40) && { targets: randomTargets(random, vpc) }),
  }
}

function randomMatch(random: Random): ProtocolMatchInput {
  const protocol = random.percent(4) ? 'ANY' : random.oneOf(['TCP', 'TCP', 'UDP', 'ICMP'] as const)
  if (protocol === 'ANY') return { protocol: 'NETWORK_PROTOCOL_ANY' }
  if (protocol === 'ICMP')
    return { protocol: 'NETWORK_PROTOCOL_ICMP', ...(random.percent(50) && { icmp_type: random.below(4) }) }
  return {
    protocol: `NETWORK_PROTOCOL_${protocol}`,
    ports: Array.from({ length: random.percent(10) ? 0 : 1 + random.below(2) }, () => span(random)),
  }
}

/** Returns a port or a range of ports, for example `22` or `22-80`. */
function span(random: Random): string {
  const [one, other] = [random.oneOf(ports), random.oneOf(ports)]
  return one === other ? String(one) : `${Math.min(one, other)}-${Math.max(one, other)}`
}

function randomPeers(random: Random, vpc: RandomVpc): FirewallPeersInput {
  const ranges = Array.from({ length: random.below(4) }, () => randomBlock(random))
  return { ranges, subnet_ids: someSubnets(random, vpc), vm_labels: random.percent(25) ? randomLabels(random) : {} }
}

const randomTargets = (random: Random, vpc: RandomVpc): FirewallTargetsInput => ({
  subnet_ids: someSubnets(random, vpc),
  vm_labels: random.percent(40) ? randomLabels(random) : {},
})

const someSubnets = (random: Random, { subnets }: RandomVpc): string[] =>
  subnets.filter(() => random.percent(20)).map(({ id }) => id)

function randomBlock(random: Random): string {
  const prefix = random.percent(4) ? random.oneOf([0, 8, 16, 22]) : random.oneOf([24, 25, 26, 27, 28, 30, 31, 32])
  const block = parseBlock(`${formatAddress(centre + random.below(1024))}/${prefix}`)
  return `${formatAddress(block?.first ?? 0)}/${prefix}`
}

/** Returns a packet whose address and port lie near the bounds of random rules. */
export function randomPacket(random: Random): Packet {
  const protocol = random.oneOf(['TCP', 'TCP', 'UDP', 'ICMP', 'OTHER'] as const)
  const edges = [0, 2 ** 32 - 1, centre - 1, centre + 1024, random.below(2 ** 32)]
  return {
    direction: random.percent(60) ? 'NETWORK_FIREWALL_DIRECTION_INGRESS' : 'NETWORK_FIREWALL_DIRECTION_EGRESS',
    peer: random.percent(90) ? centre + random.below(1024) : random.oneOf(edges),
    protocol,
    selector: selectorOf(random, protocol),
  }
}

function selectorOf(random: Random, protocol: Packet['protocol']): number {
  if (protocol === 'OTHER') return 0
  if (protocol === 'ICMP') return random.below(6)
  return Math.min(65_535, Math.max(0, random.oneOf(ports) + random.below(3) - 1))
}
