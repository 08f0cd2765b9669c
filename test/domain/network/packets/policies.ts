import type { PolicyWithRules } from '../../../../domain/network/firewall/rule-selection.ts'
import type { FirewallPolicyRuleInput } from '../../../../output/network/types.ts'
import { completeFirewallPolicyRuleInput } from '../../../../output/network/validators.ts'

/** Returns a policy with rules whose ids are their names. */
export const policyOf = (...rules: readonly FirewallPolicyRuleInput[]): PolicyWithRules => ({
  id: 'policy',
  priority: 1000,
  enabled: true,
  rules: rules.map(rule => ({
    ...completeFirewallPolicyRuleInput(rule),
    id: rule.name,
    firewall_policy_id: 'policy',
    create_time: '',
    update_time: '',
  })),
})
