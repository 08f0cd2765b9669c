import { beforeAll, describe, expect, it } from 'vitest'
import { parseAddress } from '../../../../domain/addresses/ipv4.ts'
import { compilePolicies } from '../../../../domain/network/firewall/compile.ts'
import { evaluate } from '../../../../domain/network/firewall/evaluate.ts'
import type { FirewallPolicyRuleInput } from '../../../../output/network/types.ts'
import { seeded } from '../../../areas/random.ts'
import { tenantNetwork, type TenantNetwork } from '../machines/tenant-network.ts'
import { firewallCalls, type FirewallCalls } from './firewall-calls.ts'
import { naiveRules, naiveVerdict } from './naive-evaluator.ts'
import { randomLabels, randomPacket, randomRule } from './random-policies.ts'
import { tcp } from './rule-bodies.ts'
import { afterTests } from '../../../undo.ts'

const engine = 'native'

let net: TenantNetwork
let firewall: FirewallCalls

beforeAll(async () => {
  net = await tenantNetwork(afterTests)
  firewall = firewallCalls(net.api, net.workspace)
})

const getPort = (id: string) => net.api.network.getLogicalPort({ workspace: net.workspace, engine, id })

const label = (id: string, labels: Record<string, string>) =>
  net.api.compute.updateVm({ workspace: net.workspace, id, update_mask: 'labels', body: { labels } })

const deny = (rule: FirewallPolicyRuleInput): FirewallPolicyRuleInput => ({
  ...rule,
  action: 'NETWORK_FIREWALL_ACTION_DENY',
})

describe('the effective rules of a port', () => {
  it('end with the two implied rules (scenario 5)', async () => {
    const vpc = await net.vpc('five', '10.20.0.0/16')
    const machine = await net.machine('five', await net.subnet(vpc, 's1', '10.20.1.0/24'))
    const policy_id = await firewall.policy(vpc, 'five')
    const allowed = await firewall.rule(policy_id, tcp('allow-ssh', 200))
    const denied = await firewall.rule(policy_id, deny({ ...tcp('deny-ssh', 100), peers: { ranges: ['10.0.0.0/8'] } }))
    const listed = await net.portOf(machine)
    expect(listed.effective_rules).toEqual([])
    const { effective_rules } = await getPort(listed.id)
    const nobody = { subnet_ids: [], vm_labels: {} }
    const own = { policy_id, policy_priority: 1000, direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS' }
    const protocols = [{ protocol: 'NETWORK_PROTOCOL_TCP', ports: ['22'] }]
    const implied = {
      policy_id: '',
      rule_id: '',
      policy_priority: 65_535,
      priority: 65_535,
      protocols: [{ protocol: 'NETWORK_PROTOCOL_ANY', ports: [] }],
      peers: { ranges: [], ...nobody },
    }
    const [allow, refuse] = ['NETWORK_FIREWALL_ACTION_ALLOW', 'NETWORK_FIREWALL_ACTION_DENY']
    expect(effective_rules).toEqual([
      {
        ...own,
        rule_id: denied,
        priority: 100,
        action: refuse,
        protocols,
        peers: { ranges: ['10.0.0.0/8'], ...nobody },
      },
      { ...own, rule_id: allowed, priority: 200, action: allow, protocols, peers: { ranges: [], ...nobody } },
      { ...implied, direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS', action: refuse },
      { ...implied, direction: 'NETWORK_FIREWALL_DIRECTION_EGRESS', action: allow },
    ])
  })

  it('are those of enabled policies of the VPC whose targets match, by the priority of the policies', async () => {
    const vpc = await net.vpc('order', '10.20.0.0/16')
    const [subnet, beside] = [await net.subnet(vpc, 's1', '10.20.1.0/24'), await net.subnet(vpc, 's2', '10.20.2.0/24')]
    const machine = await net.machine('order', subnet)
    const names = async () => {
      const { effective_rules } = await getPort((await net.portOf(machine)).id)
      const rules = [...(await firewall.rulesOf(late)), ...(await firewall.rulesOf(early))]
      return effective_rules.slice(0, -2).map(({ rule_id }) => rules.find(({ id }) => id === rule_id)?.name)
    }
    const late = await firewall.policy(vpc, 'late', { priority: 20 })
    const early = await firewall.policy(vpc, 'early', { priority: 10 })
    const elsewhere = await firewall.policy(await net.vpc('elsewhere', '10.20.0.0/16'), 'elsewhere', { priority: 1 })
    await firewall.rule(elsewhere, tcp('of-another-vpc', 1))
    await firewall.rule(late, tcp('late', 1))
    await firewall.rule(early, { ...tcp('in-subnet', 3), targets: { subnet_ids: [subnet] } })
    await firewall.rule(early, { ...tcp('in-other-subnet', 2), targets: { subnet_ids: [beside] } })
    await firewall.rule(early, { ...tcp('labelled', 4), targets: { vm_labels: { role: 'web' } } })
    await firewall.rule(early, { ...tcp('disabled', 5), enabled: false })
    expect(await names()).toEqual(['in-subnet', 'late'])
    await label(machine, { role: 'web', more: 'x' })
    expect(await names()).toEqual(['in-subnet', 'labelled', 'late'])
    const off = { workspace: net.workspace, engine, id: early, update_mask: 'enabled', body: { enabled: false } }
    await net.api.network.updateFirewallPolicy(off)
    expect(await names()).toEqual(['late'])
  })
})

describe('random policies', () => {
  it('have effective rules whose verdicts equal those of `evaluate` and of a naive evaluator', async () => {
    const random = seeded(5)
    const vpc = await net.vpc('random', '10.20.0.0/16')
    const subnets = []
    for (const cidr_block of ['10.20.0.0/24', '10.20.1.0/25', '10.20.2.64/26'])
      subnets.push({ cidr_block, id: await net.subnet(vpc, `r${subnets.length}`, cidr_block) })
    const ports = []
    for (let i = 0; i < 9; i += 1) {
      const machine = await net.machine(`random-${i}`, random.oneOf(subnets).id)
      await label(machine, randomLabels(random))
      ports.push((await net.portOf(machine)).id)
    }
    for (let p = 0; p < 3; p += 1) {
      const policy = await firewall.policy(vpc, `random-${p}`, { priority: p + 10, enabled: p !== 1 })
      const priorities = [...new Set(Array.from({ length: 30 }, () => random.below(65_535)))]
      for (const [i, priority] of priorities.entries())
        await firewall.rule(policy, randomRule(random, { subnets }, `r-${i}`, priority))
    }
    const { firewall_policies } = await net.api.network.listFirewallPolicies({
      workspace: net.workspace,
      engine,
      filter: `vpc_id=${vpc}`,
    })
    const policies = []
    for (const policy of firewall_policies) policies.push({ ...policy, rules: await firewall.rulesOf(policy.id) })
    const read = await Promise.all(ports.map(getPort))
    const blocks = new Map(subnets.map(({ cidr_block, id }) => [id, cidr_block]))
    const byAddress = new Map(read.map(port => [parseAddress(port.ip_address), port]))
    const compiled = compilePolicies({ policies, subnets: blocks, portAt: address => byAddress.get(address) })
    for (const port of read) expect(port.effective_rules).toEqual(naiveRules(policies, port))
    const matched = new Set<string>()
    for (let i = 0; i < 10_000; i += 1) {
      const port = random.oneOf(read)
      const sent = randomPacket(random)
      const packet = i % 3 === 0 ? { ...sent, peer: parseAddress(random.oneOf(read).ip_address) ?? 0 } : sent
      const expected = naiveVerdict(port.effective_rules, packet, { subnets: blocks, ports: read })
      expect(evaluate(compiled, port, packet)).toEqual(expected)
      matched.add(expected.rule_id)
    }
    expect(matched.size).toBeGreaterThan(15)
  })
})
