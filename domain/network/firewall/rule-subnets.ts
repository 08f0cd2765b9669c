import type { FirewallPolicyRule } from '../../../output/network/types.ts'
import { hasId, type Transaction } from '../../ports/store.ts'
import { subnetCollection } from '../subnets/subnets-store.ts'
import { ruleInvalid } from './rule-form.ts'
import { subnetsOf } from './rules-store.ts'

/**
 * Throws FIREWALL_RULE_INVALID at the first subnet of a rule that is no subnet of the VPC (conventions §4, step 12).
 * The caller has locked the VPC, so that no subnet is deleted before the rule is written.
 */
export async function requireSubnets(
  tx: Transaction,
  vpc: string,
  rule: Pick<FirewallPolicyRule, 'peers' | 'targets'>,
): Promise<void> {
  const named = [...new Set(subnetsOf(rule))]
  if (named.length === 0) return
  const known = new Set<string>()
  for await (const { id } of tx.each(subnetCollection, { ...hasId(subnetCollection, named), vpc_id: vpc }))
    known.add(id)
  for (const member of ['peers', 'targets'] as const) {
    for (const [i, id] of (rule[member]?.subnet_ids ?? []).entries()) {
      if (!known.has(id)) throw ruleInvalid(`VPC ${vpc} has no subnet ${id}`, `rule.${member}.subnet_ids[${i}]`)
    }
  }
}
