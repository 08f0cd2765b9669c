import { firewallRuleDisabled } from '../../../output/network/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction, Where } from '../../ports/store.ts'
import type { Warning } from '../../ports/warning.ts'
import { firewallPolicyCollection } from './policies-store.ts'
import { touchPolicy } from './policy-change.ts'
import { isAnybody } from './rule-selection.ts'
import { firewallRuleCollection, subnetsOf, type StoredRule } from './rules-store.ts'

/**
 * Drops a deleted subnet from the rules of its VPC, in the transaction that deletes the subnet and has locked the VPC.
 * A rule must not match more packets than before, so a rule is disabled if it loses its last peer, or if the subnets of
 * its targets become empty (network.md 4). Returns a warning FIREWALL_RULE_DISABLED for each such rule. A rule that was
 * disabled before gets the warning too, because it would match more packets once it is enabled.
 */
export async function dropSubnetFromRules(
  tx: Transaction,
  vpc: string,
  subnet: string,
  now: number,
): Promise<readonly Warning[]> {
  const warnings: Warning[] = []
  const policies = new Set<string>()
  const where: Where = { vpc_id: vpc, names_subnets: true }
  for await (const { id, value, version } of tx.each(firewallRuleCollection, where)) {
    if (!subnetsOf(value).includes(subnet)) continue
    const { isWider, rule } = without(value, subnet)
    const enabled = rule.enabled && !isWider
    await tx.update(firewallRuleCollection, id, { ...rule, enabled, update_time: formatMillis(now) }, version)
    policies.add(value.firewall_policy_id)
    if (isWider) warnings.push(warningOf(value, subnet))
  }
  for (const id of [...policies].toSorted()) {
    const policy = await tx.lock(firewallPolicyCollection, id)
    if (policy) await touchPolicy(tx, policy, now)
  }
  return warnings
}

/** Returns a rule without a subnet; `isWider` is true if the rule would match more packets than before. */
function without(rule: StoredRule, subnet: string): { readonly rule: StoredRule; readonly isWider: boolean } {
  const { peers, targets } = rule
  const keeps = (id: string): boolean => id !== subnet
  const left = {
    ...rule,
    ...(peers && { peers: { ...peers, subnet_ids: peers.subnet_ids.filter(keeps) } }),
    ...(targets && { targets: { ...targets, subnet_ids: targets.subnet_ids.filter(keeps) } }),
  }
  const isAimless = targets !== undefined && targets.subnet_ids.length > 0 && left.targets?.subnet_ids.length === 0
  return { rule: left, isWider: isAimless || (isAnybody(left) && !isAnybody(rule)) }
}

const warningOf = ({ firewall_policy_id, id, name }: StoredRule, subnet: string): Warning => ({
  code: firewallRuleDisabled.code,
  description: `rule ${name} (${id}) of firewall policy ${firewall_policy_id} is disabled, because it named no other subnet than ${subnet}; give the rule new peers or targets before you enable it`,
})
