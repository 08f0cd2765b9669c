import { platform, type Asked, type ScopeOf } from '../../domain/ports/access.ts'
import type { Collection } from '../../domain/ports/store.ts'
import { routeNotFound } from '../../output/shared/errors.ts'
import type { PathParameters } from '../../runtime/doors.ts'
import { isUuid } from '../../runtime/formats.ts'
import { quoted } from '../../runtime/refusal.ts'
import type { StoredOperation } from '../operations/record.ts'
import type { Scope } from '../../domain/ports/scope.ts'

const addressable = ['ORGANISATION', 'GROUP', 'WORKSPACE'] as const satisfies readonly Scope['type'][]

/** Returns the innermost scope in a path; undefined for a path without a scope. */
export function pathScope(path: PathParameters): Scope | undefined {
  const workspace = path.get('workspace')
  if (workspace !== undefined) return { type: 'WORKSPACE', id: workspace }
  const type = addressable.find(each => each === path.get('scope_type'))
  if (type !== undefined) return { type, id: path.get('scope_id') ?? '' }
  const organisation = path.get('organisation')
  return organisation === undefined ? undefined : { type: 'ORGANISATION', id: organisation }
}

/** Throws ROUTE_NOT_FOUND for a path with an unknown kind of scope (iam.md 3). */
export function requireScopeWord(path: PathParameters): void {
  const word = path.get('scope_type')
  if (word === undefined || addressable.some(each => each === word)) return
  throw routeNotFound(`no operation has this path; a scope is ${addressable.join(', ')}, not ${quoted(word)}`)
}

/** Returns the default scope of a call: the scope of its path, otherwise PLATFORM. */
export const scopeOfPath: ScopeOf = async (_reader, { path }): Promise<Asked> => {
  const scope = pathScope(path) ?? platform
  return { scope, told: scope }
}

/**
 * Returns the scope finder for reading an operation record by its id: the scope that the record names, or no scope for
 * an absent record. The principal that caused the operation may always read its record.
 */
export function recordScope(records: Collection<StoredOperation>): ScopeOf {
  return async (reader, { path }) => {
    const id = path.get('id') ?? ''
    const record = isUuid(id) ? (await reader.get(records, id))?.value : undefined
    if (record === undefined) return { scope: undefined, told: platform }
    const type = addressable.find(each => record.scope_type.endsWith(`_${each}`)) ?? 'PLATFORM'
    return { scope: { type, id: record.scope_id }, told: platform, owner: record.principal_id }
  }
}
