import { firewallRuleAlreadyExists } from '../../../output/network/errors.ts'
import { firewallPolicyRulesList } from '../../../output/network/filters.ts'
import type { FirewallPolicyRule } from '../../../output/network/types.ts'
import type { Collection } from '../../ports/store.ts'

/** A rule with the workspace, the engine and the VPC of its policy, which responses do not show. */
export type StoredRule = FirewallPolicyRule & {
  readonly workspace_id: string
  readonly engine: string
  readonly vpc_id: string
}

/** The rules of all firewall policies. */
export const firewallRuleCollection: Collection<StoredRule> = {
  name: 'network_firewall_policy_rules',
  id: 'id',
  list: firewallPolicyRulesList,
  listedBelow: 'firewall_policy_id',
  hidden: ['workspace_id', 'engine', 'vpc_id'],
  columns: { workspace_id: 'STRING', engine: 'STRING', firewall_policy_id: 'STRING', vpc_id: 'STRING' },
  computed: { names_subnets: { type: 'BOOLEAN', of: rule => subnetsOf(rule).length > 0 } },
  // Priorities are unique in a policy too. `requireFreeRulePriority` checks them, because its error names the other
  // rule.
  uniques: [
    {
      fields: ['firewall_policy_id', 'name'],
      taken: ({ name }) =>
        firewallRuleAlreadyExists(`a rule named ${name} exists in the firewall policy; choose another name`, {
          resource: { type: 'network.firewallPolicyRules', name },
        }),
    },
  ],
  indexes: [['workspace_id', 'firewall_policy_id'], ['vpc_id']],
}

/** Returns the ids of the subnets that a rule names, peers first; an id may occur more than once. */
export const subnetsOf = ({ peers, targets }: Pick<FirewallPolicyRule, 'peers' | 'targets'>): readonly string[] => [
  ...(peers?.subnet_ids ?? []),
  ...(targets?.subnet_ids ?? []),
]
