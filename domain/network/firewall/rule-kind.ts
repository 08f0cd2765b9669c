import { firewallRuleNotFound } from '../../../output/network/errors.ts'
import { firewallPolicyRuleFields } from '../../../output/network/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { firewallPolicyKind } from './policy-kind.ts'
import { firewallRuleCollection } from './rules-store.ts'

/**
 * The kind of the rules of firewall policies (network.md 1). A policy counts among the holdings of a workspace; its
 * rules do not.
 */
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
