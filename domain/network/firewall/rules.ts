import type { NetworkArea } from '../../../output/network/area.ts'
import type { FirewallPolicyRuleHandlers } from '../../../output/network/handlers.ts'
import type { Parts } from '../../ports/area-parts.ts'
import { Rows } from '../../resources/rows.ts'
import { addRule, removeRule, updateRule } from './rule-changes.ts'
import { requireRuleForm } from './rule-form.ts'
import { firewallRuleKind } from './rule-kind.ts'
import type { StoredRule } from './rules-store.ts'

/**
 * Returns the handlers of the rules of firewall policies. A change of a rule names the policy in its path and the rule
 * in its body; its operation names the rule as the resource.
 */
export function firewallPolicyRules(parts: Parts<NetworkArea>): FirewallPolicyRuleHandlers {
  const { clock, operations, taxonomy } = parts
  const rows = new Rows<StoredRule>(firewallRuleKind, parts)
  return {
    listFirewallPolicyRules: (request, context) => rows.list(request, context),
    getFirewallPolicyRule: request => rows.get(request),
    async addFirewallPolicyRule(request, context) {
      requireRuleForm(request.body.rule)
      const id = clock.newId()
      return operations.mutate(context, request, tx => addRule(tx, taxonomy, request, { id, now: context.now }))
    },
    async updateFirewallPolicyRule(request, context) {
      requireRuleForm(request.body.rule)
      return operations.mutate(context, request, tx => updateRule(tx, taxonomy, request, context.now))
    },
    removeFirewallPolicyRule: (request, context) =>
      operations.mutate(context, request, tx => removeRule(tx, taxonomy, request, context.now)),
  }
}
