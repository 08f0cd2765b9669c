import type { Ninefold } from '../../../../output/client.ts'
import type {
  FirewallPolicy,
  FirewallPolicyInput,
  FirewallPolicyRule,
  FirewallPolicyRuleInput,
  FirewallPolicyRuleUpdate,
  NetworkOperation,
} from '../../../../output/network/types.ts'

const engine = 'native'

const given = (etag: string | undefined): { readonly etag?: string } => (etag === undefined ? {} : { etag })

/** Shorthand functions for calls on the firewall policies of a workspace. */
export interface FirewallCalls {
  /** Creates a policy and returns its id. */
  policy(vpc_id: string, name: string, more?: Partial<FirewallPolicyInput>): Promise<string>
  getPolicy(id: string): Promise<FirewallPolicy>
  deletePolicy(id: string, etag?: string): Promise<NetworkOperation>
  /** Adds a rule and returns its id. */
  rule(firewall_policy: string, rule: FirewallPolicyRuleInput, etag?: string): Promise<string>
  updateRule(
    firewall_policy: string,
    rule_id: string,
    rule: FirewallPolicyRuleUpdate,
    etag?: string,
  ): Promise<NetworkOperation>
  removeRule(firewall_policy: string, rule_id: string, etag?: string): Promise<NetworkOperation>
  /** Returns all rules of a policy in the order of the list, by priority. */
  rulesOf(firewall_policy: string): Promise<readonly FirewallPolicyRule[]>
}

/** Makes the calls of a caller in a workspace; `updateRule` changes exactly the members that `rule` has. */
export function firewallCalls({ network }: Ninefold, workspace: string): FirewallCalls {
  const path = { workspace, engine }
  return {
    policy: async (vpc_id, name, more = {}) =>
      (await network.createFirewallPolicy({ ...path, body: { name, vpc_id, ...more } })).resource_id,
    getPolicy: id => network.getFirewallPolicy({ ...path, id }),
    deletePolicy: (id, etag) => network.deleteFirewallPolicy({ ...path, id, ...given(etag) }),
    rule: async (firewall_policy, rule, etag) =>
      (await network.addFirewallPolicyRule({ ...path, firewall_policy, body: { rule, ...given(etag) } })).resource_id,
    updateRule: (firewall_policy, rule_id, rule, etag) =>
      network.updateFirewallPolicyRule({
        ...path,
        firewall_policy,
        body: { rule_id, rule, update_mask: Object.keys(rule).join(','), ...given(etag) },
      }),
    removeRule: (firewall_policy, rule_id, etag) =>
      network.removeFirewallPolicyRule({ ...path, firewall_policy, body: { rule_id, ...given(etag) } }),
    async rulesOf(firewall_policy) {
      const rules: FirewallPolicyRule[] = []
      for await (const rule of network.iterateFirewallPolicyRules({ ...path, firewall_policy })) rules.push(rule)
      return rules
    },
  }
}
