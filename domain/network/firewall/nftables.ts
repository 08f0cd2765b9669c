import type { FirewallDirectionInput, FirewallPolicyRule, ProtocolMatch } from '../../../output/network/types.ts'
import { formatAddress, parseAddress, parseBlock, type Ipv4Range } from '../../addresses/ipv4.ts'
import { parsePorts, type PortRange } from './port-ranges.ts'
import {
  carries,
  impliedActions,
  inOrder,
  isAnybody,
  isTarget,
  type PolicyWithRules,
  type SelectedPort,
} from './rule-selection.ts'

/** A logical port whose machine has a tap device on the host. */
export interface TapPort extends SelectedPort {
  readonly mac_address: string
  /** The name of the tap device: at most 15 of `a-z`, `A-Z`, `0-9`, `.`, `_` and `-`. */
  readonly device: string
}

/** A VPC on a host with tap devices. */
export interface TapVpc {
  readonly id: string
  readonly policies: readonly PolicyWithRules[]
  /** The CIDR blocks of the subnets, keyed by subnet id. */
  readonly subnets: ReadonlyMap<string, string>
  /** The ports on this host. */
  readonly taps: readonly TapPort[]
  /** All ports of the VPC, which rules may select by labels. */
  readonly ports: readonly SelectedPort[]
}

/**
 * Returns the rules of a VPC as an nftables ruleset in one table, which replaces the table of an earlier ruleset: for
 * hosts that route between tap devices (network.md 6). The rules have the order and the implied actions of `evaluate`.
 * A port sends from its own addresses only, and the devices of the VPC exchange packets with each other only. ARP, DHCP
 * and DNS end at the host, so no rule forwards them. A loaded ruleset keeps established connections: the caller deletes
 * them from the connection table of the kernel after a rule has changed. Throws for a name of a device that is no such
 * name.
 */
export function nftRuleset(vpc: TapVpc): string {
  const table = `ninefold_${vpc.id.replaceAll(/[^\da-z]/gi, '_')}`
  const wrong = vpc.taps.find(({ device }) => !/^[\w.-]{1,15}$/.test(device))
  if (wrong)
    throw new Error(`"${wrong.device.slice(0, 80)}" is no name of a device; give at most 15 letters and digits`)
  const chains = vpc.taps.flatMap((tap, i) => [
    chain(`source_${i}`, guardOf(tap)),
    chain(`egress_${i}`, rulesOf(vpc, tap, 'NETWORK_FIREWALL_DIRECTION_EGRESS')),
    chain(`ingress_${i}`, rulesOf(vpc, tap, 'NETWORK_FIREWALL_DIRECTION_INGRESS')),
  ])
  const devices = vpc.taps.map(({ device }) => `"${device}"`).join(', ')
  const elements = devices === '' ? [] : [`    elements = { ${devices} }`]
  // The first two lines let the ruleset replace a table that may not exist.
  return [
    `table inet ${table}`,
    `delete table inet ${table}`,
    `table inet ${table} {`,
    '  set vpc_ports {',
    '    type ifname',
    ...elements,
    '  }',
    ...chains.flat(),
    ...chain('forward', forwardOf(vpc.taps)),
    '}',
    '',
  ].join('\n')
}

const chain = (name: string, lines: readonly string[]): readonly string[] => [
  `  chain ${name} {`,
  ...lines.map(line => `    ${line}`),
  '  }',
]

const forwardOf = (taps: readonly TapPort[]): readonly string[] => [
  'type filter hook forward priority filter; policy accept;',
  ...taps.map(({ device }, i) => `iifname "${device}" jump source_${i}`),
  'iifname @vpc_ports oifname != @vpc_ports drop',
  'iifname != @vpc_ports oifname @vpc_ports drop',
  'iifname @vpc_ports ct state established,related accept',
  ...taps.map(({ device }, i) => `iifname "${device}" jump egress_${i}`),
  ...taps.map(({ device }, i) => `oifname "${device}" goto ingress_${i}`),
]

const guardOf = ({ ip_address, mac_address }: TapPort): readonly string[] => [
  'meta nfproto != ipv4 drop',
  `ether saddr != ${mac_address} drop`,
  `ip saddr != ${ip_address} drop`,
]

/** Returns the lines of the rules that apply to a port in a direction; the last line is the implied rule. */
function rulesOf(vpc: TapVpc, port: SelectedPort, direction: FirewallDirectionInput): readonly string[] {
  const rules = inOrder(vpc.policies).filter(({ rule }) => rule.direction === direction && isTarget(rule, port))
  return [
    ...rules.flatMap(({ rule }) => linesOf(vpc, rule)),
    verdictOf(direction === 'NETWORK_FIREWALL_DIRECTION_EGRESS', impliedActions[direction]),
  ]
}

/** Returns a line for each protocol of a rule; no line if no address is among its peers. */
function linesOf(vpc: TapVpc, rule: FirewallPolicyRule): readonly string[] {
  const isEgress = rule.direction === 'NETWORK_FIREWALL_DIRECTION_EGRESS'
  const peers = isAnybody(rule) ? [] : peersOf(vpc, rule)
  if (peers.length === 0 && !isAnybody(rule)) return []
  const addresses = peers.map(({ first, last }) => span(formatAddress(first), formatAddress(last)))
  const peer = peers.length === 0 ? [] : [`ip ${isEgress ? 'daddr' : 'saddr'} { ${addresses.join(', ')} }`]
  const log = rule.log ? [`log prefix "ninefold ${rule.id} "`] : []
  const verdict = verdictOf(isEgress, rule.action)
  return rule.protocols.map(match => [...peer, ...protocolOf(match), ...log, verdict].join(' '))
}

/** An allowed packet goes on from the egress chain of its sender to the ingress chain of its receiver. */
function verdictOf(isEgress: boolean, action: FirewallPolicyRule['action']): string {
  if (action !== 'NETWORK_FIREWALL_ACTION_ALLOW') return 'drop'
  return isEgress ? 'return' : 'accept'
}

function protocolOf({ icmp_type, ports, protocol }: ProtocolMatch): readonly string[] {
  if (protocol === 'NETWORK_PROTOCOL_ANY') return []
  if (icmp_type !== undefined) return [`icmp type ${icmp_type}`]
  const name = protocol.replace('NETWORK_PROTOCOL_', '').toLowerCase()
  if (ports.length === 0) return [`meta l4proto ${name}`]
  const ranges = merged(ports.map(parsePorts)).map(({ first, last }) => span(String(first), String(last)))
  return [`${name} dport { ${ranges.join(', ')} }`]
}

/** Returns the addresses that a rule selects by ranges, subnets and labels. */
function peersOf({ ports, subnets }: TapVpc, { peers }: FirewallPolicyRule): readonly Ipv4Range[] {
  const { ranges = [], subnet_ids = [], vm_labels = {} } = peers ?? {}
  const blocks = [...ranges, ...subnet_ids.flatMap(id => subnets.get(id) ?? [])].flatMap(text => parseBlock(text) ?? [])
  const isLabelled = Object.keys(vm_labels).length > 0
  const labelled = ports.filter(port => isLabelled && carries(port, vm_labels))
  const addresses = labelled.flatMap(({ ip_address }) => parseAddress(ip_address) ?? [])
  return merged([...blocks, ...addresses.map(address => ({ first: address, last: address }))])
}

/** Returns sorted ranges in which overlapping and touching ranges are joined, because a set permits no overlap. */
function merged(ranges: readonly PortRange[]): readonly PortRange[] {
  const joined: PortRange[] = []
  for (const { first, last } of ranges.toSorted((one, other) => one.first - other.first)) {
    const previous = joined.at(-1)
    if (previous === undefined || first > previous.last + 1) joined.push({ first, last })
    else joined[joined.length - 1] = { first: previous.first, last: Math.max(previous.last, last) }
  }
  return joined
}

const span = (first: string, last: string): string => (first === last ? first : `${first}-${last}`)
