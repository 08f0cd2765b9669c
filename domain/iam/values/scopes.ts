import type { FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { scopeNotActive, scopeNotFound } from '../../../output/iam/errors.ts'
import type { ScopeKind } from '../../../output/iam/types.ts'
import { atField } from '../../../runtime/errors.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { platform } from '../../ports/access.ts'
import type { Scope } from '../../ports/scope.ts'

/** A scope in the members of request bodies and rows. */
export interface ScopeMembers {
  readonly scope_type: ScopeKind
  readonly scope_id: string
}

export const scopeOfMembers = ({ scope_id, scope_type }: ScopeMembers): Scope => ({ type: scope_type, id: scope_id })

/** Returns the text for a scope in messages. */
export const named = ({ id, type }: Scope): string => (type === 'PLATFORM' ? 'the platform' : `${type} ${id}`)

/** Returns the scopes from a scope up to its organisation, then PLATFORM; undefined if the scope does not exist. */
export async function chainOf(
  reader: Reader,
  { taxonomy }: { readonly taxonomy: Pick<Taxonomy, 'chain'> },
  scope: Scope,
): Promise<readonly Scope[] | undefined> {
  if (scope.type === 'PLATFORM') return [platform]
  const chain = await taxonomy.chain(reader, scope)
  return chain && [...chain, platform]
}

/** Returns the chain of the scope in a path. Throws SCOPE_NOT_FOUND. */
export async function requireChain(
  reader: Reader,
  parts: { readonly taxonomy: Pick<Taxonomy, 'chain'> },
  scope: Scope,
): Promise<readonly Scope[]> {
  const chain = await chainOf(reader, parts, scope)
  if (chain) return chain
  throw noScope(scope)
}

/** Throws FIELD_INVALID with the fault of `scopeFaults`. */
export function checkScopeForm(members: ScopeMembers): void {
  const faults = scopeFaults(members)
  if (faults.length > 0) throw fieldInvalid(faults)
}

/**
 * Returns a fault if the platform has an id, or if another scope has none; `at` is the prefix of the field name.
 */
export function scopeFaults({ scope_id = '', scope_type }: Partial<ScopeMembers>, at = ''): readonly FieldViolation[] {
  if ((scope_type === 'PLATFORM') === (scope_id === '')) return []
  const description = scope_type === 'PLATFORM' ? 'must be empty for the platform' : 'must be the id of a scope'
  return [{ field: `${at}scope_id`, description }]
}

/**
 * Locks the organisation of a scope (shared lock), and throws SCOPE_NOT_FOUND, WORKSPACE_NOT_ACTIVE or SCOPE_NOT_ACTIVE
 * unless the scope is effectively ACTIVE. `field` is the field of the body that names the scope; absent if the path
 * names the scope. Call `requireActiveScope` before the transaction locks any other row. The platform is always active.
 */
export async function requireActiveScope(
  tx: Transaction,
  { taxonomy }: { readonly taxonomy: Taxonomy },
  scope: Scope,
  field?: string,
): Promise<void> {
  if (scope.type === 'PLATFORM') return
  await taxonomy.share(tx, scope)
  const effective = await taxonomy.effectiveState(tx, scope)
  if (effective === undefined) throw field === undefined ? noScope(scope) : atField(noScope(scope), field)
  if (effective.state === 'ACTIVE') return
  if (scope.type === 'WORKSPACE') return taxonomy.requireActive(tx, scope.id)
  const { source, state } = effective
  throw scopeNotActive(`${named(scope)} is ${state} through ${named(source)}; make that scope active first`, {
    resource: resourceOf(source),
    precondition: [{ type: 'STATE', subject: source.id, description: 'the scope must be ACTIVE' }],
  })
}

const noScope = (scope: Scope) => scopeNotFound(`${named(scope)} does not exist`, { resource: resourceOf(scope) })

const resourceOf = ({ id, type }: Scope) => ({ type: `taxonomy.${type.toLowerCase()}s`, name: id.slice(0, 80) })
