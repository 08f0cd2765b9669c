import type { RegistryArea } from '../../../output/registry/area.ts'
import {
  limitBelowUsage,
  quotaDefinitionNotFound,
  quotaLimitAlreadyExists,
  quotaLimitDimensionsInvalid,
  quotaLimitNotFound,
} from '../../../output/registry/errors.ts'
import { quotaLimitsList } from '../../../output/registry/filters.ts'
import type { ScopeType } from '../../../output/registry/types.ts'
import { quotaLimitFields } from '../../../output/registry/validators.ts'
import type { Collection } from '../../ports/store.ts'
import { defineKind } from '../../resources/kind.ts'
import { QuotaDefinitions } from '../../resources/quotas/definition-handlers.ts'
import type { LimitFacts, StoredLimit } from '../../resources/quotas/limit-kind.ts'
import { quotas } from './quotas.ts'

/** The row of a quota limit of a workspace. */
export interface StoredQuotaLimit extends StoredLimit<ScopeType> {
  readonly workspace_id: string
}

/** The values of the area's enum of scope types, keyed by their names without prefix. */
export const scopeTypes = {
  WORKSPACE: 'REGISTRY_SCOPE_TYPE_WORKSPACE',
  ORGANISATION: 'REGISTRY_SCOPE_TYPE_ORGANISATION',
} as const

/** The facts of the area's quota limits. */
export const limits: LimitFacts<ScopeType, RegistryArea> = {
  type: 'registry.quotaLimits',
  scopeTypes,
  errors: {
    definitionNotFound: quotaDefinitionNotFound,
    notFound: quotaLimitNotFound,
    alreadyExists: quotaLimitAlreadyExists,
    dimensionsInvalid: quotaLimitDimensionsInvalid,
  },
  belowUsage: limitBelowUsage,
}

/** The quota limits of all workspaces. */
export const limitCollection: Collection<StoredQuotaLimit> = {
  name: 'registry_quota_limits',
  id: 'id',
  list: quotaLimitsList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', scope_id: 'STRING' },
  hidden: ['workspace_id'],
}

/** The kind of the area's quota limits. */
export const quotaLimitKind = defineKind({
  type: 'registry.quotaLimits',
  noun: 'quota limit',
  collection: limitCollection,
  fields: quotaLimitFields,
  notFound: quotaLimitNotFound,
  isHolding: false,
})

/** The handlers of quota definitions, which are built in. */
export const quotaDefinitions = new QuotaDefinitions(quotas, scopeTypes, limits.errors)
