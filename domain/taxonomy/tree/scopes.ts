import type { ScopeType } from '../../../output/taxonomy/types.ts'
import type { Scope } from '../../ports/scope.ts'

const bareTypes: Readonly<Record<ScopeType, Scope['type'] | undefined>> = {
  TAXONOMY_SCOPE_TYPE_UNSPECIFIED: undefined,
  TAXONOMY_SCOPE_TYPE_PLATFORM: 'PLATFORM',
  TAXONOMY_SCOPE_TYPE_ORGANISATION: 'ORGANISATION',
  TAXONOMY_SCOPE_TYPE_WORKSPACE: 'WORKSPACE',
  TAXONOMY_SCOPE_TYPE_GROUP: 'GROUP',
}

/** A scope in the form of bodies and responses. */
export interface WireScope {
  readonly scope_type: ScopeType
  readonly scope_id: string
}

/** Returns a scope in the form of the ports. A scope type that is not set counts as PLATFORM. */
export const fromWireScope = ({ scope_id, scope_type }: WireScope): Scope => ({
  type: bareTypes[scope_type] ?? 'PLATFORM',
  id: scope_id,
})

/** Returns a scope in the form of bodies and responses. */
export const wireScope = ({
  id,
  type,
}: Scope): { scope_type: Exclude<ScopeType, 'TAXONOMY_SCOPE_TYPE_UNSPECIFIED'>; scope_id: string } => ({
  scope_type: `TAXONOMY_SCOPE_TYPE_${type}`,
  scope_id: id,
})

/** Returns the parent scope of a node: its parent group, or the organisation if `group` is empty. */
export const parentScope = (organisation: string, group: string): Scope =>
  group === '' ? { type: 'ORGANISATION', id: organisation } : { type: 'GROUP', id: group }
