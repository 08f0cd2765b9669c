import { describe, expect, it } from 'vitest'
import { parseAddress } from '../../../../../domain/addresses/ipv4.ts'
import { compilePolicies } from '../../../../../domain/network/firewall/compile.ts'
import { evaluate, type Packet } from '../../../../../domain/network/firewall/evaluate.ts'
import { formatAddress } from '../../../../../domain/addresses/ipv4.ts'
import type { PolicyWithRules, SelectedPort } from '../../../../../domain/network/firewall/rule-selection.ts'
import type { FirewallPolicyRule, FirewallPolicyRuleInput } from '../../../../../output/network/types.ts'
import { completeFirewallPolicyRuleInput } from '../../../../../output/network/validators.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { naiveRules, naiveVerdict } from '../naive-evaluator.ts'
import { randomLabels, randomPacket, randomRule } from '../random-policies.ts'
import { allow, tcp } from '../rule-bodies.ts'

const subnets = [
  { id: 'a', cidr_block: '10.20.0.0/24' },
  { id: 'b', cidr_block: '10.20.1.0/25' },
  { id: 'c', cidr_block: '10.20.2.64/26' },
]
const blocks = new Map(subnets.map(({ cidr_block, id }) => [id, cidr_block]))

const stored = (id: string, body: FirewallPolicyRuleInput): FirewallPolicyRule => ({
  id,
  firewall_policy_id: 'p',
  ...completeFirewallPolicyRuleInput(body),
  create_time: '',
  update_time: '',
})

const port = (ip_address: string, labels: Record<string, string> = {}, subnet_id = 'a'): SelectedPort => ({
  ip_address,
  labels,
  subnet_id,
})

/** Returns a policy with rules whose ids are their names. */
const policyOf = (priority: number, ...rules: readonly FirewallPolicyRuleInput[]): PolicyWithRules => ({
  id: `policy-${priority}`,
  priority,
  enabled: true,
  rules: rules.map(rule => stored(rule.name, rule)),
})

function compiled(policies: readonly PolicyWithRules[], ports: readonly SelectedPort[] = []) {
  const byAddress = new Map(ports.map(each => [parseAddress(each.ip_address), each]))
  return compilePolicies({ policies, subnets: blocks, portAt: address => byAddress.get(address) })
}

const ingress = (peer: string, selector = 22, protocol: Packet['protocol'] = 'TCP'): Packet => ({
  direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
  peer: parseAddress(peer) ?? 0,
  protocol,
  selector,
})

const deny = (rule: FirewallPolicyRuleInput): FirewallPolicyRuleInput => ({
  ...rule,
  action: 'NETWORK_FIREWALL_ACTION_DENY',
})

describe('evaluate', () => {
  const target = port('10.20.0.5', { role: 'web' })

  it('denies ingress and allows egress without a matching rule', () => {
    const policies = compiled([])
    const packet = ingress('10.20.0.6')
    expect(evaluate(policies, target, packet)).toEqual({ action: 'NETWORK_FIREWALL_ACTION_DENY', rule_id: '' })
    const egress = { ...packet, direction: 'NETWORK_FIREWALL_DIRECTION_EGRESS' } as const
    expect(evaluate(policies, target, egress)).toEqual({ action: 'NETWORK_FIREWALL_ACTION_ALLOW', rule_id: '' })
  })

  it('takes the first rule by the priority of the policy and then of the rule', () => {
    const policies = compiled([
      policyOf(2, tcp('late', 0)),
      policyOf(1, tcp('second', 20), deny({ ...tcp('first', 10), peers: { ranges: ['10.0.0.0/8'] } })),
    ])
    expect(evaluate(policies, target, ingress('10.1.2.3')).rule_id).toBe('first')
    expect(evaluate(policies, target, ingress('11.1.2.3')).rule_id).toBe('second')
    expect(evaluate(policies, target, ingress('11.1.2.3', 23)).rule_id).toBe('')
  })

  const disabled: readonly (readonly [string, readonly PolicyWithRules[]])[] = [
    ['disabled rules', [policyOf(1, { ...tcp('off', 1), enabled: false })]],
    ['disabled policies', [{ ...policyOf(1, tcp('off', 1)), enabled: false }]],
  ]

  it.each(disabled)('skips %s', (_, policies) => {
    expect(evaluate(compiled(policies), target, ingress('10.1.2.3')).rule_id).toBe('')
  })

  const peers: readonly (readonly [string, object, string, boolean])[] = [
    ['the first address of a range', { ranges: ['10.20.0.16/28'] }, '10.20.0.16', true],
    ['the last address of a range', { ranges: ['10.20.0.16/28'] }, '10.20.0.31', true],
    ['the address before a range', { ranges: ['10.20.0.16/28'] }, '10.20.0.15', false],
    ['the address after a range', { ranges: ['10.20.0.16/28'] }, '10.20.0.32', false],
    ['the last of all addresses', { ranges: ['255.255.255.255/32'] }, '255.255.255.255', true],
    ['an address in two ranges', { ranges: ['10.0.0.0/8', '10.20.0.0/16'] }, '10.20.0.1', true],
    ['an address after the inner range', { ranges: ['10.0.0.0/8', '10.20.0.0/16'] }, '10.21.0.1', true],
    ['an address between touching ranges', { ranges: ['10.20.0.0/25', '10.20.0.128/25'] }, '10.20.0.128', true],
    ['an address of a subnet', { subnet_ids: ['c'] }, '10.20.2.127', true],
    ['an address of another subnet', { subnet_ids: ['c'] }, '10.20.2.128', false],
    ['a subnet that is gone', { subnet_ids: ['gone'] }, '10.20.2.127', false],
    ['a port with the labels', { vm_labels: { role: 'web' } }, '10.20.0.9', true],
    ['a port without one of the labels', { vm_labels: { role: 'web', tier: 'db' } }, '10.20.0.9', false],
    ['an address without a port', { vm_labels: { role: 'web' } }, '10.20.0.10', false],
    ['either the range or the labels', { ranges: ['10.30.0.0/16'], vm_labels: { role: 'web' } }, '10.20.0.9', true],
    ['an inherited label', { vm_labels: { toString: 'x' } }, '10.20.0.9', false],
    ['any address by empty members', { ranges: [], subnet_ids: [], vm_labels: {} }, '1.2.3.4', true],
  ]

  it.each(peers)('with peers of %s', (_, given, peer, isMatched) => {
    const policies = compiled([policyOf(1, { ...tcp('rule', 1), peers: given })], [port('10.20.0.9', { role: 'web' })])
    expect(evaluate(policies, target, ingress(peer)).rule_id).toBe(isMatched ? 'rule' : '')
  })

  const targets: readonly (readonly [string, object, boolean])[] = [
    ['its subnet', { subnet_ids: ['b', 'a'] }, true],
    ['another subnet', { subnet_ids: ['b'] }, false],
    ['its labels', { vm_labels: { role: 'web' } }, true],
    ['other labels', { vm_labels: { role: 'db' } }, false],
    ['its subnet and other labels', { subnet_ids: ['a'], vm_labels: { role: 'db' } }, false],
    ['its subnet and its labels', { subnet_ids: ['a'], vm_labels: { role: 'web' } }, true],
    ['no member', { subnet_ids: [], vm_labels: {} }, true],
  ]

  it.each(targets)('with targets of %s', (_, given, isMatched) => {
    const policies = compiled([policyOf(1, { ...tcp('rule', 1), targets: given })])
    expect(evaluate(policies, target, ingress('1.2.3.4')).rule_id).toBe(isMatched ? 'rule' : '')
  })

  const any = allow('rule', 1, 'NETWORK_PROTOCOL_ANY')
  const allTcp = allow('rule', 1, 'NETWORK_PROTOCOL_TCP')
  const someTcp = allow('rule', 1, 'NETWORK_PROTOCOL_TCP', ['80', '90-99'])
  const allIcmp = allow('rule', 1, 'NETWORK_PROTOCOL_ICMP')
  const echo: FirewallPolicyRuleInput = {
    ...allIcmp,
    protocols: [{ protocol: 'NETWORK_PROTOCOL_ICMP', icmp_type: 8 }],
  }
  const protocols: readonly (readonly [string, FirewallPolicyRuleInput, Packet['protocol'], number, boolean])[] = [
    ['any protocol', any, 'OTHER', 0, true],
    ['any protocol', any, 'TCP', 65_535, true],
    ['all TCP', allTcp, 'OTHER', 0, false],
    ['all TCP', allTcp, 'TCP', 1, true],
    ['TCP 80 and 90-99', someTcp, 'TCP', 99, true],
    ['TCP 80 and 90-99', someTcp, 'TCP', 100, false],
    ['TCP 80 and 90-99', someTcp, 'UDP', 80, false],
    ['all ICMP', allIcmp, 'ICMP', 255, true],
    ['ICMP 8', echo, 'ICMP', 8, true],
    ['ICMP 8', echo, 'ICMP', 0, false],
  ]

  it.each(protocols)('with a rule for %s', (_, rule, protocol, selector, isMatched) => {
    const packet = ingress('1.2.3.4', selector, protocol)
    expect(evaluate(compiled([policyOf(1, rule)]), target, packet).rule_id).toBe(isMatched ? 'rule' : '')
  })

  it('finds rules beyond the first word of a bit set and beyond the first snapshot', () => {
    const rules = Array.from({ length: 200 }, (_, i) => ({
      ...tcp(`rule-${i}`, i),
      peers: { ranges: [`10.20.${i}.0/24`] },
    }))
    const policies = compiled([policyOf(1, ...rules)])
    const found = rules.map((_, i) => evaluate(policies, target, ingress(`10.20.${i}.7`)).rule_id)
    expect(found).toEqual(rules.map(({ name }) => name))
  })
})

describe('random policies', () => {
  function randomPolicies(random: Random): readonly PolicyWithRules[] {
    return Array.from({ length: 1 + random.below(4) }, (_, p) => {
      const rules = Array.from({ length: random.below(60) }, (_, r) =>
        stored(`${p}-${r}`, randomRule(random, { subnets }, `r-${r}`, random.below(60_000))),
      )
      const unique = [...new Map(rules.map(rule => [rule.priority, rule])).values()]
      return { id: `p-${p}`, priority: 10 * random.below(3) + p, enabled: random.percent(85), rules: unique }
    })
  }

  function randomPorts(random: Random): readonly SelectedPort[] {
    return subnets.flatMap(({ cidr_block, id }) => {
      const first = parseAddress(cidr_block.split('/')[0] ?? '') ?? 0
      return [2, 3, 4].map(i => port(formatAddress(first + i), randomLabels(random), id))
    })
  }

  it('have the verdicts of a naive evaluator for 10,000 packets', () => {
    const random = seeded(17)
    const rulesThatMatched = new Set<string>()
    for (let round = 0; round < 50; round += 1) {
      const policies = randomPolicies(random)
      const ports = randomPorts(random)
      const fast = compiled(policies, ports)
      const effective = new Map(ports.map(each => [each, naiveRules(policies, each)]))
      for (let i = 0; i < 200; i += 1) {
        const own = random.oneOf(ports)
        const packet = randomPacket(random)
        // The other end of every third packet is a port of the VPC, so that the labels of ports matter.
        const peer = i % 3 === 0 ? (parseAddress(random.oneOf(ports).ip_address) ?? 0) : packet.peer
        const rules = effective.get(own) ?? []
        const expected = naiveVerdict(rules, { ...packet, peer }, { subnets: blocks, ports })
        expect(evaluate(fast, own, { ...packet, peer })).toEqual(expected)
        rulesThatMatched.add(`${round}/${expected.rule_id}`)
      }
    }
    // The packets must match many rules, not only the implied rules.
    expect(rulesThatMatched.size).toBeGreaterThan(300)
  })
})
