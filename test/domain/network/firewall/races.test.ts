import { beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, raceRounds, type Racers } from '../../../areas/race.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { areasWithMachines } from '../machines/machine-area.ts'
import { tenantNetwork, type TenantNetwork } from '../machines/tenant-network.ts'
import { firewallCalls, type FirewallCalls } from './firewall-calls.ts'
import { tcp } from './rule-bodies.ts'
import { afterTests } from '../../../undo.ts'

const engine = 'native'

/** True for a long run, which prints the number of each combination of outcomes. */
const isLong = process.env['NINEFOLD_RACE_LAPS'] !== undefined

let net: TenantNetwork
let one: FirewallCalls
/**
 * The calls through a second platform on the same PostgreSQL; on SQLite through the same platform, because only one
 * process can open the file.
 */
let other: FirewallCalls
let vpc: string
let policy: string

beforeAll(async () => {
  net = await tenantNetwork(afterTests)
  const { storeUrl } = net.platform.config
  const second =
    storeUrl === undefined
      ? net.platform
      : await testPlatform({ config: { storeUrl }, later: afterTests, areas: areasWithMachines })
  one = firewallCalls(net.api, net.workspace)
  other = firewallCalls((await second.admin()).api, net.workspace)
  vpc = await net.vpc('net', '10.20.0.0/16')
})

const path = () => ({ workspace: net.workspace, engine })

const deleteSubnet = (id: string) => net.api.network.deleteSubnet({ ...path(), id })

/** Creates the policy of a round, which `clear` deletes; returns the etag of the policy. */
async function newPolicy(): Promise<string> {
  policy = await one.policy(vpc, 'policy')
  return (await one.getPolicy(policy)).etag
}

async function clear(): Promise<void> {
  for await (const { id } of net.api.network.iterateFirewallPolicies(path())) await one.deletePolicy(id)
  for await (const { id } of net.api.network.iterateSubnets(path())) await deleteSubnet(id)
}

interface Race {
  readonly name: string
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
}

const races: readonly Race[] = [
  {
    name: 'two edits of a rule with one etag',
    async prepare() {
      await newPolicy()
      const rule = await one.rule(policy, tcp('rule', 1))
      const { etag } = await one.getPolicy(policy)
      return [one, other].map((by, i) => () => by.updateRule(policy, rule, { priority: 10 + i }, etag))
    },
    documented: ['OK, ETAG_MISMATCH', 'ETAG_MISMATCH, OK'],
  },
  {
    name: 'a new rule and the removal of another rule with one etag',
    async prepare() {
      await newPolicy()
      const rule = await one.rule(policy, tcp('rule', 1))
      const { etag } = await one.getPolicy(policy)
      return [() => one.rule(policy, tcp('new', 2), etag), () => other.removeRule(policy, rule, etag)]
    },
    documented: ['OK, ETAG_MISMATCH', 'ETAG_MISMATCH, OK'],
  },
  {
    name: 'two edits of different rules without an etag',
    async prepare() {
      await newPolicy()
      const rules = [await one.rule(policy, tcp('a', 1)), await one.rule(policy, tcp('b', 2))]
      return rules.map((rule, i) => () => (i === 0 ? one : other).updateRule(policy, rule, { log: true }))
    },
    documented: ['OK, OK'],
  },
  {
    name: 'two rules of one priority',
    async prepare() {
      await newPolicy()
      return [one, other].map((by, i) => () => by.rule(policy, tcp(`r-${i}`, 7)))
    },
    documented: ['OK, FIREWALL_RULE_PRIORITY_TAKEN', 'FIREWALL_RULE_PRIORITY_TAKEN, OK'],
  },
  {
    name: 'two rules that move to one priority',
    async prepare() {
      await newPolicy()
      const rules = [await one.rule(policy, tcp('a', 1)), await one.rule(policy, tcp('b', 2))]
      return rules.map((rule, i) => () => (i === 0 ? one : other).updateRule(policy, rule, { priority: 9 }))
    },
    documented: ['OK, FIREWALL_RULE_PRIORITY_TAKEN', 'FIREWALL_RULE_PRIORITY_TAKEN, OK'],
  },
  {
    name: 'two policies of one priority',
    prepare: async () => [one, other].map((by, i) => () => by.policy(vpc, `p-${i}`, { priority: 7 })),
    documented: ['OK, FIREWALL_POLICY_PRIORITY_TAKEN', 'FIREWALL_POLICY_PRIORITY_TAKEN, OK'],
  },
  {
    name: 'the deletion of a policy and a new rule',
    async prepare() {
      await newPolicy()
      return [() => one.deletePolicy(policy), () => other.rule(policy, tcp('rule', 1))]
    },
    documented: ['OK, OK', 'OK, FIREWALL_POLICY_NOT_FOUND'],
  },
  {
    name: 'the deletion of a policy with its etag and a new rule',
    async prepare() {
      const etag = await newPolicy()
      return [() => one.deletePolicy(policy, etag), () => other.rule(policy, tcp('rule', 1))]
    },
    documented: ['OK, FIREWALL_POLICY_NOT_FOUND', 'ETAG_MISMATCH, OK'],
  },
  {
    name: 'the deletion of a subnet and a new rule that names it',
    async prepare() {
      await newPolicy()
      const subnet = await net.subnet(vpc, 's1', '10.20.1.0/24')
      const rule = { ...tcp('rule', 1), peers: { subnet_ids: [subnet] } }
      return [() => deleteSubnet(subnet), () => other.rule(policy, rule)]
    },
    documented: ['OK, OK', 'OK, FIREWALL_RULE_INVALID'],
  },
  {
    name: 'the last place of the quota of a policy',
    async prepare() {
      await newPolicy()
      const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: net.workspace } as const
      const body = { ...scope, dimensions: { firewall_policy_id: policy }, limit: 1 }
      await net.api.network.createQuotaLimit({ quota_definition: 'network.firewallPolicyRules', body })
      return [one, other].map((by, i) => () => by.rule(policy, tcp(`r-${i}`, i)))
    },
    documented: ['OK, QUOTA_EXCEEDED', 'QUOTA_EXCEEDED, OK'],
  },
]

/**
 * Checks that no rule names a deleted subnet, that a rule without its last peer subnet is disabled, and that each
 * policy counts its rules correctly and has no priority twice.
 */
async function check(): Promise<void> {
  const subnets = new Set<string>()
  for await (const { id } of net.api.network.iterateSubnets(path())) subnets.add(id)
  for await (const { id, rule_count } of net.api.network.iterateFirewallPolicies(path())) {
    const rules = await one.rulesOf(id)
    expect(rules.length).toBe(rule_count)
    expect(new Set(rules.map(({ priority }) => priority)).size).toBe(rules.length)
    for (const { enabled, peers } of rules) {
      expect((peers?.subnet_ids ?? []).filter(subnet => !subnets.has(subnet))).toEqual([])
      if (peers?.subnet_ids.length === 0) expect(enabled).toBe(false)
    }
  }
}

describe('concurrent calls of firewall policies', () => {
  it.each(races)(
    '$name have documented outcomes',
    { timeout: 60_000 + raceRounds * 2000 },
    async ({ documented, name, prepare }) => {
      const outcomes = await race(raceRounds, prepare, async () => {
        await check()
        await clear()
      })
      if (isLong) console.log(name, Object.fromEntries(outcomes))
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
      expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(raceRounds)
    },
  )

  it('leave no finding of the doctor', async () => {
    expect(await doctorFindings(net.platform.config, areasWithMachines)).toEqual([])
  })
})
