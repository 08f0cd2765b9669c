import { formatAddress, parseAddress, parseBlock } from '../../domain/addresses/ipv4.ts'
import { compilePolicies } from '../../domain/network/firewall/compile.ts'
import { evaluate, type Packet } from '../../domain/network/firewall/evaluate.ts'
import { selectedIn } from '../../domain/network/firewall/port-ranges.ts'
import { inOrder, isTarget, type PolicyWithRules } from '../../domain/network/firewall/rule-selection.ts'
import type { FirewallPolicyRuleInput } from '../../output/network/types.ts'
import { completeFirewallPolicyRuleInput } from '../../output/network/validators.ts'
import { seeded } from '../areas/random.ts'
import { naiveRules, naiveVerdict } from '../domain/network/firewall/naive-evaluator.ts'
import { randomLabels, randomPacket, randomRule } from '../domain/network/firewall/random-policies.ts'
import { measure } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'

/**
 * This program prints the CPU time of a decision about a packet over 1,000 rules of one direction: random rules, rules
 * that match no packet, and rules with 256 ranges each. The limit is 5 us a packet. The same run also measures two
 * peers: a search through parsed rules, and the naive evaluator of the tests. Then the program prints the time of a
 * compilation, which each change of a VPC needs once.
 */

const limitNs = 5000
const ruleCount = 1000
const packetCount = 1024

const random = seeded(17)
const subnets = ['a', 'b', 'c', 'd'].map((id, i) => ({ id, cidr_block: `10.20.${i}.0/24` }))
const blocks = new Map(subnets.map(({ cidr_block, id }) => [id, cidr_block]))
const ports = Array.from({ length: 200 }, (_, i) => ({
  ip_address: `10.20.${i % 4}.${2 + Math.floor(i / 4)}`,
  labels: randomLabels(random),
  subnet_id: subnets[i % 4]?.id ?? '',
}))
const byAddress = new Map(ports.map(port => [parseAddress(port.ip_address), port]))
const [own = ports[0]] = ports
const direction = 'NETWORK_FIREWALL_DIRECTION_INGRESS'
const packets: readonly Packet[] = Array.from({ length: packetCount }, () => ({ ...randomPacket(random), direction }))

const around = { subnets: blocks, ports }
const policyOf = (rules: readonly FirewallPolicyRuleInput[]): readonly PolicyWithRules[] => {
  const stored = rules.map((rule, i) => ({
    ...completeFirewallPolicyRuleInput({ ...rule, direction, enabled: true }),
    id: `rule-${i}`,
    firewall_policy_id: 'policy',
    create_time: '',
    update_time: '',
  }))
  return [{ id: 'policy', priority: 1, enabled: true, rules: stored }]
}

const rulesOf = (make: (i: number) => FirewallPolicyRuleInput): readonly PolicyWithRules[] =>
  policyOf(Array.from({ length: ruleCount }, (_, i) => make(i)))

const randomOne = (i: number): FirewallPolicyRuleInput => randomRule(random, { subnets }, `rule-${i}`, i)

const elsewhere = (i: number): FirewallPolicyRuleInput => ({
  ...randomOne(i),
  targets: {},
  peers: { ranges: [`172.16.${i % 256}.0/24`] },
})

/** Returns a rule that names every second address of a block of 512 addresses, at an offset of its own. */
const wide = (i: number): FirewallPolicyRuleInput => ({
  ...randomOne(i),
  protocols: [{ protocol: 'NETWORK_PROTOCOL_ANY' }],
  targets: {},
  peers: { ranges: Array.from({ length: 256 }, (_, r) => `${formatAddress(2 ** 31 + i * 1024 + r * 2)}/32`) },
})

/**
 * Returns an evaluator as a careful first version would be: the evaluator parses all rules once, and compares each
 * packet with the rules in order. The evaluator returns the id of the first matching rule, or an empty text.
 */
function searched(policies: readonly PolicyWithRules[]): (packet: Packet) => string {
  const rules = inOrder(policies)
    .filter(({ rule }) => own !== undefined && isTarget(rule, own))
    .map(({ rule: { id, peers, protocols } }) => ({
      id,
      protocols,
      labels: Object.entries(peers?.vm_labels ?? {}),
      ranges: [...(peers?.ranges ?? []), ...(peers?.subnet_ids ?? []).flatMap(id => blocks.get(id) ?? [])].flatMap(
        text => parseBlock(text) ?? [],
      ),
    }))
  return ({ peer, protocol, selector }) => {
    const port = byAddress.get(peer)
    const found = rules.find(
      ({ labels, protocols, ranges }) =>
        protocols.some(match =>
          selectedIn(match, protocol)?.some(({ first, last }) => first <= selector && selector <= last),
        ) &&
        ((ranges.length === 0 && labels.length === 0) ||
          ranges.some(({ first, last }) => first <= peer && peer <= last) ||
          (labels.length > 0 && port !== undefined && labels.every(([key, value]) => port.labels[key] === value))),
    )
    return found?.id ?? ''
  }
}

const worlds = [
  ['random rules', rulesOf(randomOne)],
  ['rules that match no packet', rulesOf(elsewhere)],
  ['rules of any protocol with 256 ranges each', rulesOf(wide)],
] as const

for (const [name, policies] of worlds) {
  const vpc = { policies, subnets: blocks, portAt: (address: number) => byAddress.get(address) }
  const compiled = compilePolicies(vpc)
  if (own === undefined) throw new Error('there is no port')
  const effective = naiveRules(policies, own)
  const trial = searched(policies)
  for (const packet of packets.slice(0, 20)) {
    const [fast, slow] = [evaluate(compiled, own, packet).rule_id, naiveVerdict(effective, packet, around).rule_id]
    if (fast !== slow || fast !== trial(packet)) throw new Error(`the evaluators differ: ${fast}, ${slow}`)
  }
  const units = packets.length
  const some = packets.slice(0, 16)
  const few = packets.slice(0, 1)
  const times = await measure([
    { name: 'evaluate', units, run: () => packets.map(packet => evaluate(compiled, own, packet)) },
    { name: 'a search through parsed rules', units: some.length, run: () => some.map(trial) },
    {
      name: 'the naive evaluator',
      units: few.length,
      run: () => few.map(each => naiveVerdict(effective, each, around)),
    },
    { name: 'a compilation', units: 1, run: () => compilePolicies(vpc) },
  ])
  const [evaluated = 0, search = 0, naive = 0, compilation = 0] = times
  printGroup(`${ruleCount} ${name}, a packet`, [
    ['evaluate', evaluated],
    ['limit', limitNs],
    ['a search through parsed rules', search],
    ['the naive evaluator of the tests', naive],
    ['a compilation, once a version', compilation],
  ])
  if (evaluated > limitNs) process.exitCode = 1
}
