import type { Fields } from '../../../runtime/field-mask.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import type { AreaTypes } from '../../../runtime/route.ts'
import { defineKind, type Kind, type MakeError, type Resource } from '../kind.ts'
import { type QuotaErrors, type ScopeTypes } from './definition-handlers.ts'

/** The stored limit of one bucket; its usage is counted at each read. */
export interface StoredLimit<ScopeType extends string> extends Resource {
  readonly create_time: string
  readonly quota_definition_id: string
  readonly description: string
  readonly scope_type: ScopeType
  readonly scope_id: string
  readonly dimensions: Record<string, string>
  readonly limit: number
}

/** A limit as responses show it. */
export type LimitAnswer<ScopeType extends string> = StoredLimit<ScopeType> & { readonly usage: number }

/** The errors of an area for its quota limits. */
export interface LimitErrors extends QuotaErrors {
  readonly notFound: MakeError
  readonly alreadyExists: MakeError
  readonly dimensionsInvalid: MakeError<'badRequest'>
}

/** The parts by which the quota limits of all areas differ. */
export interface LimitFacts<ScopeType extends string, Area extends AreaTypes> {
  readonly type: Area['resourceType'] & `${string}.quotaLimits`
  readonly scopeTypes: ScopeTypes<ScopeType>
  readonly errors: LimitErrors
  /** The warning LIMIT_BELOW_USAGE. */
  readonly belowUsage: { readonly code: number }
}

/** The parts by which the quota limits of areas differ whose limits name their scope. */
export interface LimitDeclaration<ScopeType extends string, Area extends AreaTypes> extends LimitFacts<
  ScopeType,
  Area
> {
  readonly errors: LimitErrors & { readonly scopeInvalid: MakeError<'badRequest'> }
  /** The name of the table: `network_quota_limits`. */
  readonly name: string
  readonly list: ListFields
  readonly fields: Fields
}

/**
 * Returns the kind of an area's quota limits. A limit lives at the scope that it limits, so that the tenant sees the
 * operations on the limit.
 */
export function limitKind<ScopeType extends string, Area extends AreaTypes>({
  errors,
  fields,
  list,
  name,
  scopeTypes,
  type,
}: LimitDeclaration<ScopeType, Area>): Kind<StoredLimit<ScopeType>> & { readonly type: Area['resourceType'] } {
  return defineKind({
    type,
    noun: 'quota limit',
    collection: { name, id: 'id', list, columns: { quota_definition_id: 'STRING' }, indexes: [['scope_id']] },
    fields,
    notFound: errors.notFound,
    isHolding: false,
    scopeOf: ({ scope_id: id, scope_type }) => ({
      type: scope_type === scopeTypes.WORKSPACE ? 'WORKSPACE' : 'ORGANISATION',
      id,
    }),
  })
}
