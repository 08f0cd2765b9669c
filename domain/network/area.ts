import type { NetworkArea } from '../../output/network/area.ts'
import { networkFilters } from '../../output/network/filters.ts'
import type { NetworkHandlers } from '../../output/network/handlers.ts'
import type { Inspection } from '../ports/inspection.ts'
import type { Parts } from '../ports/area-parts.ts'
import { FilterSchemaRecords } from '../resources/filter-schemas.ts'
import { rowScope } from '../resources/look-up.ts'
import { OperationRecords } from '../resources/operation-records.ts'
import { QuotaDefinitions } from '../resources/quotas/definition-handlers.ts'
import { inspectQuotas } from '../resources/quotas/inspect.ts'
import { QuotaLimits } from '../resources/quotas/limits.ts'
import { dropSubnetFromRules } from './firewall/drop-subnet.ts'
import { firewallPolicies } from './firewall/policies.ts'
import { firewallPolicyKind } from './firewall/policy-kind.ts'
import { firewallRuleKind } from './firewall/rule-kind.ts'
import { firewallPolicyRules } from './firewall/rules.ts'
import { inspectFirewall } from './firewall/inspect.ts'
import { networkFacts } from './facts.ts'
import { inspectSubnets } from './inspect-subnets.ts'
import { portKind } from './ports/port-kind.ts'
import { ports } from './ports/ports.ts'
import { purgeSubnets } from './purge-subnets.ts'
import { limits, quotaLimitKind, quotas, scopeTypes } from './quotas.ts'
import { freeRanges } from './subnets/free-ranges-store.ts'
import { subnetKind } from './subnets/subnet-kind.ts'
import { subnets } from './subnets/subnets.ts'
import { vpcKind, vpcs } from './vpcs.ts'

type NetworkEnvironment = Parts<NetworkArea, 'topology'>

const limitsOf = (parts: Parts<NetworkArea>) => new QuotaLimits(parts, quotas, limits, quotaLimitKind)

/**
 * The network area: VPCs, subnets, logical ports, firewall policies, quota definitions and limits. The server adds the
 * functions for other areas, which need the wires of its switch.
 */
export const network = {
  kinds: [firewallRuleKind, firewallPolicyKind, portKind, subnetKind, vpcKind, quotaLimitKind],
  collections: [quotas.buckets, freeRanges],
  needs: { required: ['topology'] },
  scopes: { getQuotaLimit: rowScope(quotaLimitKind) },
  hooks: (parts: NetworkEnvironment) => ({
    async purgeWorkspace(workspace: string) {
      await purgeSubnets(parts.store, workspace)
      await limitsOf(parts).purge(workspace)
    },
  }),
  facts: { network: networkFacts },
  async *inspect({ reader }: Inspection) {
    yield* inspectSubnets(reader)
    yield* inspectFirewall(reader)
    yield* inspectQuotas(reader, quotas, quotaLimitKind)
  },
  handlers: (parts: NetworkEnvironment): NetworkHandlers => ({
    vpcs: vpcs(parts),
    subnets: subnets(parts, dropSubnetFromRules),
    logicalPorts: ports(parts),
    firewallPolicies: firewallPolicies(parts),
    firewallPolicyRules: firewallPolicyRules(parts),
    quotaDefinitions: new QuotaDefinitions(quotas, scopeTypes, limits.errors),
    quotaLimits: limitsOf(parts),
    operations: new OperationRecords(parts),
    filterSchemas: new FilterSchemaRecords(networkFilters),
  }),
} as const
