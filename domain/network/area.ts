import type { NetworkArea } from '../../output/network/area.ts'
import type { Inspection } from '../ports/inspection.ts'
import type { Parts } from '../ports/parts.ts'
import { rowScope } from '../resources/look-up.ts'
import { QuotaDefinitions } from '../resources/quotas/definition-handlers.ts'
import { inspectQuotas } from '../resources/quotas/inspect.ts'
import { QuotaLimits } from '../resources/quotas/limits.ts'
import { networkFunctions } from './functions.ts'
import { inspectSubnets } from './inspect-subnets.ts'
import { portKind } from './ports/port-kind.ts'
import { ports } from './ports/ports.ts'
import { purgeSubnets } from './purge-subnets.ts'
import { limits, quotaLimitKind, quotas, scopeTypes } from './quotas.ts'
import { freeRanges } from './subnets/free-ranges-store.ts'
import { subnetKind } from './subnets/subnet-kind.ts'
import { subnets } from './subnets/subnets.ts'
import { vpcKind, vpcs } from './vpcs.ts'

type NetworkParts = Parts<NetworkArea, never, 'topology'>

const limitsOf = (parts: Parts<NetworkArea>) => new QuotaLimits(parts, quotas, limits, quotaLimitKind)

/** The built part of the area: VPCs, subnets, logical ports, quota definitions and limits. */
export const network = {
  kinds: [portKind, subnetKind, vpcKind, quotaLimitKind],
  collections: [quotas.buckets, freeRanges],
  needs: { optional: ['topology'] },
  scopes: { getQuotaLimit: rowScope(quotaLimitKind) },
  provides: (parts: NetworkParts) => ({ network: networkFunctions(parts) }),
  hooks: (parts: NetworkParts) => ({
    async purgeWorkspace(workspace: string) {
      await purgeSubnets(parts.store, workspace)
      await limitsOf(parts).purge(workspace)
    },
  }),
  async *inspect({ reader }: Inspection) {
    yield* inspectSubnets(reader)
    yield* inspectQuotas(reader, quotas, quotaLimitKind)
  },
  built: {
    vpcs,
    subnets,
    logicalPorts: ports,
    quotaDefinitions: () => new QuotaDefinitions(quotas, scopeTypes, limits.errors),
    quotaLimits: limitsOf,
  },
} as const
