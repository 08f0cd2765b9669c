import type { NetworkArea } from '../../output/network/area.ts'
import {
  limitBelowUsage,
  network,
  quotaDefinitionNotFound,
  quotaLimitAlreadyExists,
  quotaLimitDimensionsInvalid,
  quotaLimitNotFound,
  quotaLimitScopeInvalid,
} from '../../output/network/errors.ts'
import { quotaLimitsList } from '../../output/network/filters.ts'
import type { ScopeType } from '../../output/network/types.ts'
import { quotaLimitFields } from '../../output/network/validators.ts'
import { limitKind, type LimitDeclaration } from '../resources/quotas/limit-kind.ts'
import { Quotas } from '../resources/quotas/quotas.ts'
import { firewallPolicyCollection } from './firewall/policies-store.ts'
import { firewallRuleCollection } from './firewall/rules-store.ts'
import { portCollection } from './ports/ports-store.ts'
import { subnetCollection } from './subnets/subnets-store.ts'
import { vpcCollection } from './vpcs-store.ts'

const vpcCounts = { unit: '1', resource_type: 'network.vpcs', counted: vpcCollection } as const

/** The quota definitions of the area (network.md 1). */
export const quotas = new Quotas(network, [
  {
    ...vpcCounts,
    id: 'network.vpcs',
    display_name: 'VPCs',
    description: 'VPCs of a workspace in one region, over all engines.',
    scope: 'WORKSPACE',
    dimensions: ['region'],
    default_limit: 5,
  },
  {
    ...vpcCounts,
    id: 'network.vpcsPerOrganisation',
    display_name: 'VPCs of the organisation',
    description: "VPCs in the organisation's whole tree.",
    scope: 'ORGANISATION',
    dimensions: [],
    default_limit: 100,
  },
  {
    id: 'network.firewallPolicies',
    display_name: 'Firewall policies',
    description: 'Firewall policies of a workspace, over all engines.',
    unit: '1',
    resource_type: 'network.firewallPolicies',
    scope: 'WORKSPACE',
    dimensions: [],
    default_limit: 20,
    counted: firewallPolicyCollection,
  },
  {
    id: 'network.firewallPolicyRules',
    display_name: 'Firewall policy rules',
    description: 'Rules of one firewall policy, disabled rules too.',
    unit: '1',
    resource_type: 'network.firewallPolicyRules',
    scope: 'WORKSPACE',
    dimensions: ['firewall_policy_id'],
    default_limit: 100,
    counted: firewallRuleCollection,
  },
  {
    id: 'network.subnets',
    display_name: 'Subnets',
    description: 'Subnets of one VPC.',
    unit: '1',
    resource_type: 'network.subnets',
    scope: 'WORKSPACE',
    dimensions: ['vpc_id'],
    default_limit: 32,
    counted: subnetCollection,
  },
  {
    id: 'network.logicalPorts',
    display_name: 'Logical ports',
    description: 'Logical ports of a workspace in one region, over all engines.',
    unit: '1',
    resource_type: 'network.logicalPorts',
    scope: 'WORKSPACE',
    dimensions: ['region'],
    default_limit: 200,
    counted: portCollection,
  },
])

/** The values of the area's enum of scope types, keyed by their names without prefix. */
export const scopeTypes = {
  WORKSPACE: 'NETWORK_SCOPE_TYPE_WORKSPACE',
  ORGANISATION: 'NETWORK_SCOPE_TYPE_ORGANISATION',
} as const

/** The declaration of the area's quota limits. */
export const limits: LimitDeclaration<ScopeType, NetworkArea> = {
  type: 'network.quotaLimits',
  name: 'network_quota_limits',
  list: quotaLimitsList,
  fields: quotaLimitFields,
  scopeTypes,
  errors: {
    definitionNotFound: quotaDefinitionNotFound,
    notFound: quotaLimitNotFound,
    alreadyExists: quotaLimitAlreadyExists,
    scopeInvalid: quotaLimitScopeInvalid,
    dimensionsInvalid: quotaLimitDimensionsInvalid,
  },
  belowUsage: limitBelowUsage,
}

/** The kind of the area's quota limits. */
export const quotaLimitKind = limitKind(limits)
