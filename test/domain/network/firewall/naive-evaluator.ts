import type { PolicyWithRules, SelectedPort } from '../../../../domain/network/firewall/rule-selection.ts'
import type { Packet } from '../../../../domain/network/firewall/evaluate.ts'
import type { EffectiveFirewallRule, FirewallPolicyRule, ProtocolMatch } from '../../../../output/network/types.ts'

/** The subnets and ports of a VPC in which the naive evaluator searches for the other end of a packet. */
export interface Surroundings {
  /** The CIDR blocks of the subnets, keyed by the id of the subnet. */
  readonly subnets: ReadonlyMap<string, string>
  readonly ports: readonly SelectedPort[]
}

/** Returns the common leading bits of the addresses of a block, for example `00001010` for 10.0.0.0/8. */
function prefixBits(block: string): string {
  const [address = '', length = ''] = block.split('/')
  return bitsOf(address).slice(0, Number(length))
}

const bitsOf = (address: string): string =>
  address
    .split('.')
    .map(part => Number(part).toString(2).padStart(8, '0'))
    .join('')

const textOf = (address: number): string =>
  [24, 16, 8, 0].map(shift => String(Math.floor(address / 2 ** shift) % 256)).join('.')

const lies = (address: string, block: string): boolean => bitsOf(address).startsWith(prefixBits(block))

function fitsProtocol(match: ProtocolMatch, { protocol, selector }: Packet): boolean {
  if (match.protocol === 'NETWORK_PROTOCOL_ANY') return true
  if (!match.protocol.endsWith(`_${protocol}`)) return false
  if (protocol === 'ICMP') return match.icmp_type === undefined || match.icmp_type === selector
  return (
    match.ports.length === 0 ||
    match.ports.some(ports => {
      const [from, to = from] = ports.split('-').map(Number)
      return from !== undefined && to !== undefined && from <= selector && selector <= to
    })
  )
}

function fitsPeer({ peers }: EffectiveFirewallRule, address: string, { ports, subnets }: Surroundings): boolean {
  const labels = Object.entries(peers.vm_labels)
  if (peers.ranges.length + peers.subnet_ids.length + labels.length === 0) return true
  if (peers.ranges.some(range => lies(address, range))) return true
  if (peers.subnet_ids.some(id => lies(address, subnets.get(id) ?? '255.255.255.255/32'))) return true
  if (labels.length === 0) return false
  return ports.some(port => port.ip_address === address && labels.every(([key, value]) => port.labels[key] === value))
}

/**
 * Evaluates the effective rules of a port in order, as the text of network.md 4 describes; returns the action of the
 * first rule that matches.
 */
export function naiveVerdict(
  rules: readonly EffectiveFirewallRule[],
  packet: Packet,
  around: Surroundings,
): { readonly action: string; readonly rule_id: string } {
  const rule = rules.find(
    each =>
      each.direction === packet.direction &&
      each.protocols.some(match => fitsProtocol(match, packet)) &&
      fitsPeer(each, textOf(packet.peer), around),
  )
  if (rule === undefined) throw new Error('no rule matches the packet, not even an implied rule')
  return { action: rule.action, rule_id: rule.rule_id }
}

/** Returns the effective rules of a port, by a search for each possible priority of a policy. */
export function naiveRules(policies: readonly PolicyWithRules[], port: SelectedPort): readonly EffectiveFirewallRule[] {
  const found: EffectiveFirewallRule[] = []
  for (let policyPriority = 0; policyPriority < 65_535; policyPriority += 1) {
    for (const policy of policies) {
      if (policy.priority !== policyPriority || !policy.enabled) continue
      for (const rule of [...policy.rules].sort((one, other) => one.priority - other.priority)) {
        if (!rule.enabled || !holdsFor(rule, port)) continue
        const peers = { ranges: [], subnet_ids: [], vm_labels: {}, ...rule.peers }
        const { action, direction, id: rule_id, priority, protocols } = rule
        const own = { policy_id: policy.id, rule_id, policy_priority: policyPriority, priority }
        found.push({ ...own, direction, action, protocols, peers })
      }
    }
  }
  return [...found, implied('INGRESS', 'DENY'), implied('EGRESS', 'ALLOW')]
}

function holdsFor({ targets }: FirewallPolicyRule, port: SelectedPort): boolean {
  const subnets = targets?.subnet_ids ?? []
  const isInSubnet = subnets.length === 0 || subnets.some(id => id === port.subnet_id)
  return isInSubnet && Object.entries(targets?.vm_labels ?? {}).every(([key, value]) => port.labels[key] === value)
}

const implied = (direction: 'INGRESS' | 'EGRESS', action: 'ALLOW' | 'DENY'): EffectiveFirewallRule => ({
  policy_id: '',
  rule_id: '',
  policy_priority: 65_535,
  priority: 65_535,
  direction: `NETWORK_FIREWALL_DIRECTION_${direction}`,
  action: `NETWORK_FIREWALL_ACTION_${action}`,
  protocols: [{ protocol: 'NETWORK_PROTOCOL_ANY', ports: [] }],
  peers: { ranges: [], subnet_ids: [], vm_labels: {} },
})
