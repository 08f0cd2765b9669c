import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { subnetCollection } from '../subnets/subnets-store.ts'
import { firewallPolicyCollection } from './policies-store.ts'
import { firewallPolicyKind } from './policy-kind.ts'
import { firewallRuleKind } from './rule-kind.ts'
import { firewallRuleCollection, subnetsOf, type StoredRule } from './rules-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/**
 * Yields the contradictions between firewall policies and their rules (network.md 1): in the number of the rules, the
 * unique priorities, the place of each rule, and the subnets that rules name.
 */
export async function* inspectFirewall(reader: Reader): Findings {
  const counts = await reader.tally(firewallRuleCollection, 'firewall_policy_id')
  for await (const { id, value } of reader.each(firewallPolicyCollection)) {
    const finding = (message: string): Finding => ({ resourceType: firewallPolicyKind.type, id, message })
    const count = counts.get(id) ?? 0
    if (value.rule_count !== count)
      yield finding(`has the rule_count ${value.rule_count}; the number of its rules is ${count}`)
    const { priority, vpc_id } = value
    if ((await reader.count(firewallPolicyCollection, { vpc_id, priority })) > 1)
      yield finding(`has the priority ${priority}, as has another policy of VPC ${vpc_id}`)
  }
  for await (const { value } of reader.each(firewallRuleCollection)) {
    for (const message of await faultsOf(reader, value))
      yield { resourceType: firewallRuleKind.type, id: value.id, message }
  }
}

async function faultsOf(reader: Reader, rule: StoredRule): Promise<readonly string[]> {
  const { firewall_policy_id, priority, vpc_id } = rule
  const policy = (await reader.get(firewallPolicyCollection, firewall_policy_id))?.value
  if (!policy) return [`is a rule of firewall policy ${firewall_policy_id}, which does not exist`]
  const isInPlace = (['workspace_id', 'engine', 'vpc_id'] as const).every(member => policy[member] === rule[member])
  const isAlone = (await reader.count(firewallRuleCollection, { firewall_policy_id, priority })) === 1
  const absent: string[] = []
  for (const id of new Set(subnetsOf(rule)))
    if ((await reader.get(subnetCollection, id))?.value.vpc_id !== vpc_id) absent.push(id)
  return [
    ...(isInPlace ? [] : [`has another workspace, engine or VPC than its firewall policy ${firewall_policy_id}`]),
    ...(isAlone ? [] : [`has the priority ${priority}, as has another rule of firewall policy ${firewall_policy_id}`]),
    ...absent.map(id => `names subnet ${id}, which VPC ${vpc_id} does not have`),
  ]
}
