import type { Ninefold } from '../../../../output/client.ts'
import type { FirewallPolicyRuleInput } from '../../../../output/network/types.ts'
import type { Random } from '../../../areas/random.ts'
import type { RandomKind } from '../../../areas/random-mutations.ts'
import type { Places } from '../random-subnets.ts'
import { firewallCalls } from './firewall-calls.ts'
import { randomRule } from './random-policies.ts'

const engine = 'native'

interface PolicyPlace {
  readonly workspace: string
  readonly id: string
}

const refusals = ['WORKSPACE_NOT_FOUND', 'WORKSPACE_NOT_ACTIVE', 'QUOTA_EXCEEDED', 'ETAG_MISMATCH']

const etagOf = (random: Random): string | undefined => (random.percent(5) ? 'stale' : undefined)

/**
 * Returns the random kinds for firewall policies of random VPCs, and for rules of these policies that name random
 * subnets.
 */
export function randomFirewall(api: Ninefold, vpcs: Places, subnets: Places): readonly RandomKind[] {
  const policies: PolicyPlace[] = []
  return [randomPolicies(api, vpcs, policies), randomRules(api, subnets, policies)]
}

function randomPolicies(api: Ninefold, vpcs: Places, policies: PolicyPlace[]): RandomKind {
  return {
    name: 'firewall policy',
    weight: 15,
    refusals: [
      ...refusals,
      'VPC_NOT_FOUND',
      'FIREWALL_POLICY_NOT_FOUND',
      'FIREWALL_POLICY_ALREADY_EXISTS',
      'FIREWALL_POLICY_PRIORITY_TAKEN',
    ],
    async create(random) {
      const { id: vpc, workspace } = vpcs.any(random)
      const calls = firewallCalls(api, workspace)
      const id = await calls.policy(vpc, `p-${random.below(30)}`, { priority: random.below(4) })
      policies.push({ workspace, id })
      return {
        update(random) {
          const etag = etagOf(random)
          const body = { priority: random.below(4), enabled: random.percent(50), ...(etag !== undefined && { etag }) }
          return api.network.updateFirewallPolicy({ workspace, engine, id, body })
        },
        delete(random) {
          // The run forgets most deleted policies, because otherwise few rules would find an existing policy.
          if (random.percent(80)) policies.splice(0, policies.length, ...policies.filter(each => each.id !== id))
          return calls.deletePolicy(id, etagOf(random))
        },
      }
    },
  }
}

function randomRules(api: Ninefold, subnets: Places, policies: readonly PolicyPlace[]): RandomKind {
  const bodyOf = (random: Random): FirewallPolicyRuleInput => {
    const { cidr: cidr_block, id } = subnets.any(random)
    const name = `r-${random.below(12)}`
    const rule = randomRule(random, { subnets: [{ id, cidr_block }] }, name, random.below(5))
    // The platform refuses a range with host bits, and a subnet of another VPC than the VPC of the policy.
    return random.percent(5) ? { ...rule, peers: { ranges: ['10.0.0.1/8'] } } : rule
  }
  return {
    name: 'firewall rule',
    weight: 40,
    refusals: [
      ...refusals,
      'FIREWALL_POLICY_NOT_FOUND',
      ...['NOT_FOUND', 'ALREADY_EXISTS', 'PRIORITY_TAKEN', 'INVALID'].map(end => `FIREWALL_RULE_${end}`),
    ],
    async create(random) {
      const nowhere = { workspace: '01900000-0000-7000-8000-0000000000fe', id: '01900000-0000-7000-8000-0000000000fe' }
      const { id: policy, workspace } = policies.length === 0 ? nowhere : random.oneOf(policies)
      const calls = firewallCalls(api, workspace)
      const id = await calls.rule(policy, bodyOf(random), etagOf(random))
      return {
        update(random) {
          const { name: _name, direction: _direction, ...changes } = bodyOf(random)
          return calls.updateRule(policy, id, random.percent(50) ? changes : { log: true }, etagOf(random))
        },
        delete: random => calls.removeRule(policy, id, etagOf(random)),
      }
    },
  }
}
