import type { NetworkArea } from '../../../output/network/area.ts'
import type { FirewallPolicyHandlers } from '../../../output/network/handlers.ts'
import type { FirewallPolicy } from '../../../output/network/types.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Transaction } from '../../ports/store.ts'
import { Resources } from '../../resources/resources.ts'
import { quotas } from '../quotas.ts'
import { requireFreePolicyPriority } from './free-priority.ts'
import { firewallPolicyKind } from './policy-kind.ts'
import { firewallRuleCollection } from './rules-store.ts'

/** Returns the handlers of firewall policies. */
export function firewallPolicies(parts: Parts<NetworkArea>): FirewallPolicyHandlers {
  const { taxonomy } = parts
  const resources = new Resources<FirewallPolicy, NetworkArea>(firewallPolicyKind, parts)
  return {
    listFirewallPolicies: (request, context) => resources.list(request, context),
    getFirewallPolicy: request => resources.get(request),
    async createFirewallPolicy(request, context) {
      const { etag: _precondition, ...settable } = request.body
      const state = 'NETWORK_FIREWALL_POLICY_STATE_ACTIVE'
      const policy: FirewallPolicy = { ...resources.standard(request, context), ...settable, rule_count: 0, state }
      return resources.create(request, context, policy, {
        exclude: tx => requireFreePolicyPriority(tx, policy),
        count: tx => quotas.consume(tx, taxonomy, policy.workspace_id, [{ definition: 'network.firewallPolicies' }]),
      })
    },
    updateFirewallPolicy: (request, context) =>
      resources.update(request, context, {
        async exclude(tx, { changed, value }) {
          if (changed.includes('priority')) await requireFreePolicyPriority(tx, value)
        },
      }),
    deleteFirewallPolicy: (request, context) => resources.delete(request, context, { release: deleteRules }),
  }
}

/** Deletes the rules of a deleted policy, and the quota bucket that counted them. */
async function deleteRules(tx: Transaction, { id, workspace_id }: FirewallPolicy): Promise<void> {
  for await (const rule of tx.each(firewallRuleCollection, { firewall_policy_id: id }))
    await tx.delete(firewallRuleCollection, rule.id, rule.version)
  await quotas.forget(tx, workspace_id, 'firewall_policy_id', id)
}
