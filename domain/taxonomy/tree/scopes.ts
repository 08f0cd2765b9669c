import type { ScopeType } from '../../../output/taxonomy/types.ts'
import type { Scope } from '../../ports/scope.ts'

const bareTypes: Readonly<Record<ScopeType, Scope['type'] | undefined>> = {
  TAXONOMY_SCOPE_TYPE_UNSPECIFIED: undefined,
  TAXONOMY_SCOPE_TYPE_PLATFORM: 'PLATFORM',
  TAXONOMY_SCOPE_TYPE_ORGANISATION: 'ORGANISATION',
  TAXONOMY_SCOPE_TYPE_WORKSPACE: 'WORKSPACE',
  TAXONOMY_SCOPE_TYPE_GROUP: 'GROUP',
}

/** A scope as bodies and answers write it. */
export interface WireScope {
  readonly scope_type: ScopeType
  readonly scope_id: string
}

export const fromWireScope = ({ scope_id, scope_type }: WireScope): Scope => ({
  type: bareTypes[scope_type] ?? 'PLATFORM',
  id: scope_id,
})

export const wireScope = ({
  id,
  type,
}: Scope): { scope_type: Exclude<ScopeType, 'TAXONOMY_SCOPE_TYPE_UNSPECIFIED'>; scope_id: string } => ({
  scope_type: `TAXONOMY_SCOPE_TYPE_${type}`,
  scope_id: id,
})

/** The parent scope of a creation or move: a group, or the organisation itself. */
export const parentScope = (organisation: string, group: string): Scope =>
  group === '' ? { type: 'ORGANISATION', id: organisation } : { type: 'GROUP', id: group }
