import type { Reader } from '../../ports/store.ts'
import { firewallPolicyCollection } from './policies-store.ts'
import type { PolicyWithRules } from './rule-selection.ts'
import { firewallRuleCollection, type StoredRule } from './rules-store.ts'

/**
 * Returns the enabled policies of a VPC with their enabled rules. A caller that needs the policies and rules of one
 * moment passes the reader of a snapshot.
 */
export async function readPolicies(reader: Reader, vpc: string): Promise<readonly PolicyWithRules[]> {
  const where = { vpc_id: vpc, enabled: true }
  const policies: (PolicyWithRules & { readonly rules: StoredRule[] })[] = []
  for await (const { value } of reader.each(firewallPolicyCollection, where)) policies.push({ ...value, rules: [] })
  if (policies.length === 0) return policies
  const byId = new Map(policies.map(policy => [policy.id, policy]))
  for await (const { value } of reader.each(firewallRuleCollection, where))
    byId.get(value.firewall_policy_id)?.rules.push(value)
  return policies
}
