import type { EffectiveFirewallRule } from '../../../output/network/types.ts'
import type { Reader } from '../../ports/store.ts'
import { readPolicies } from './read-policies.ts'
import { impliedActions, inOrder, isTarget, type OrderedRule, type SelectedPort } from './rule-selection.ts'

/**
 * Returns the rules that apply to a port, in the order of evaluation, for both directions together; then follow the two
 * implied rules (network.md 1).
 */
export async function effectiveRulesOf(
  reader: Reader,
  port: SelectedPort & { readonly vpc_id: string },
): Promise<EffectiveFirewallRule[]> {
  const rules = inOrder(await readPolicies(reader, port.vpc_id)).filter(({ rule }) => isTarget(rule, port))
  return [...rules.map(effectiveRule), ...impliedRules]
}

function effectiveRule({ policy, rule }: OrderedRule): EffectiveFirewallRule {
  const { action, direction, id, peers, priority, protocols } = rule
  return {
    policy_id: policy.id,
    rule_id: id,
    policy_priority: policy.priority,
    priority,
    direction,
    action,
    protocols,
    peers: { ...anybody, ...peers },
  }
}

const anybody = { ranges: [], subnet_ids: [], vm_labels: {} }

const impliedRules = (['NETWORK_FIREWALL_DIRECTION_INGRESS', 'NETWORK_FIREWALL_DIRECTION_EGRESS'] as const).map(
  (direction): EffectiveFirewallRule => ({
    policy_id: '',
    rule_id: '',
    policy_priority: 65_535,
    priority: 65_535,
    direction,
    action: impliedActions[direction],
    protocols: [{ protocol: 'NETWORK_PROTOCOL_ANY', ports: [] }],
    peers: anybody,
  }),
)
