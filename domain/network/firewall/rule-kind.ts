import { firewallRuleNotFound } from '../../../output/network/errors.ts'
import { firewallPolicyRuleFields } from '../../../output/network/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { firewallPolicyKind } from './policy-kind.ts'
import { firewallRuleCollection } from './rules-store.ts'

/** The rules of firewall policies (network.md 1). The policy counts among the holdings of a workspace, and its rules do not. */
export const firewallRuleKind = defineKind({
  type: 'network.firewallPolicyRules',
  noun: 'rule',
  collection: firewallRuleCollection,
  fields: firewallPolicyRuleFields,
  notFound: firewallRuleNotFound,
  parent: {
    member: 'firewall_policy_id',
    parameter: 'firewall_policy',
    kind: firewallPolicyKind,
    hold: 'lock',
  },
  isHolding: false,
})
