import { firewallPolicyPriorityTaken, firewallRulePriorityTaken } from '../../../output/network/errors.ts'
import type { FirewallPolicy } from '../../../output/network/types.ts'
import type { Collection, Transaction, Where } from '../../ports/store.ts'
import { firewallPolicyCollection } from './policies-store.ts'
import { firewallRuleCollection, type StoredRule } from './rules-store.ts'

/**
 * Throws FIREWALL_POLICY_PRIORITY_TAKEN if another policy of the VPC has the priority. The caller has locked the VPC
 * and written the policy.
 */
export async function requireFreePolicyPriority(tx: Transaction, policy: FirewallPolicy): Promise<void> {
  const { id, priority, vpc_id } = policy
  const other = await findOther(tx, firewallPolicyCollection, { vpc_id, priority }, id)
  if (other === undefined) return
  const message = `firewall policy ${other} of the VPC has the priority ${priority} already; choose another`
  const resource = { type: 'network.firewallPolicies', name: other }
  throw firewallPolicyPriorityTaken(message, { firewall_policy_id: other }, { resource })
}

/**
 * Throws FIREWALL_RULE_PRIORITY_TAKEN if another rule of the policy has the priority. The caller has locked the policy
 * and written the rule.
 */
export async function requireFreeRulePriority(tx: Transaction, rule: StoredRule): Promise<void> {
  const { firewall_policy_id, id, priority } = rule
  const other = await findOther(tx, firewallRuleCollection, { firewall_policy_id, priority }, id)
  if (other === undefined) return
  const message = `rule ${other} of the firewall policy has the priority ${priority} already; choose another`
  const resource = { type: 'network.firewallPolicyRules', name: other }
  throw firewallRulePriorityTaken(message, { rule_id: other }, { resource })
}

async function findOther<T>(
  tx: Transaction,
  collection: Collection<T>,
  where: Where<T>,
  id: string,
): Promise<string | undefined> {
  for await (const other of tx.each(collection, where)) if (other.id !== id) return other.id
  return undefined
}
