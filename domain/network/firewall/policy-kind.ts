import { firewallPolicyNotFound, vpcNotFound } from '../../../output/network/errors.ts'
import { firewallPolicyFields } from '../../../output/network/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { vpcKind } from '../vpcs.ts'
import { firewallPolicyCollection } from './policies-store.ts'

/**
 * The kind of firewall policies (network.md 1). Each mutation locks the VPC, so that its other policies and its subnets
 * do not change during the mutation.
 */
export const firewallPolicyKind = defineKind({
  type: 'network.firewallPolicies',
  noun: 'firewall policy',
  collection: firewallPolicyCollection,
  fields: firewallPolicyFields,
  notFound: firewallPolicyNotFound,
  references: [{ member: 'vpc_id', target: vpcKind, absent: vpcNotFound, hold: 'lock' }],
})
