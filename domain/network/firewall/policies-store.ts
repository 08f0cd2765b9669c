import { firewallPolicyAlreadyExists } from '../../../output/network/errors.ts'
import { firewallPoliciesList } from '../../../output/network/filters.ts'
import type { FirewallPolicy } from '../../../output/network/types.ts'
import type { Collection } from '../../ports/store.ts'

/**
 * The firewall policies of all workspaces. `rule_count` is stored, because every call that changes the number of rules
 * writes the policy anyway, for its etag.
 */
export const firewallPolicyCollection: Collection<FirewallPolicy> = {
  name: 'network_firewall_policies',
  id: 'id',
  list: firewallPoliciesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING' },
  // Priorities are unique in a VPC too. `requireFreePolicyPriority` checks them, because its error names the other
  // policy.
  uniques: [
    {
      fields: ['workspace_id', 'name'],
      taken: ({ name }) =>
        firewallPolicyAlreadyExists(`a firewall policy named ${name} exists in the workspace; choose another name`, {
          resource: { type: 'network.firewallPolicies', name },
        }),
    },
  ],
  indexes: [['vpc_id', 'priority']],
}
