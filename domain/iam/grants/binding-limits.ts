import { bindingQuotaExceeded } from '../../../output/iam/errors.ts'
import type { Binding } from '../../../output/iam/types.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Reader, Where } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { bindings, holdsAt } from '../collections/bindings-store.ts'
import { chainOf, named, scopeOfMembers } from '../values/scopes.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * The maximal number of bindings of one principal in one organisation; the platform counts as an organisation (iam.md
 * 1).
 */
const maxOfPrincipal = 250
/** The maximal number of bindings at one scope (iam.md 1). */
const maxAtScope = 1500

interface LimitSources {
  readonly taxonomy: Pick<Taxonomy, 'chain'>
}

/**
 * Throws BINDING_QUOTA_EXCEEDED if further bindings of a principal at a scope would exceed a limit. Expired bindings do
 * not count. Bindings that the platform created for the creators of scopes do not count either (taxonomy.md 1).
 */
export async function requireBindingRoom(
  reader: Reader,
  parts: LimitSources,
  principal: string,
  scope: Scope,
  more: number,
  now: number,
): Promise<void> {
  const atScope = { scope_id: scope.id, scope_type: scope.type }
  if (!(await hasRoom(reader, atScope, maxAtScope - more, now))) {
    throw exceeded(`${named(scope)} has at most ${maxAtScope} bindings`)
  }
  const isNear = await nearness(reader, parts, scope)
  if (await hasRoom(reader, { principal_id: principal }, maxOfPrincipal - more, now, isNear)) return
  throw exceeded(`a principal has at most ${maxOfPrincipal} bindings in one organisation or at the platform`)
}

/**
 * Returns whether the number of counted bindings is at most `most`. If all matching rows together are few enough, one
 * COUNT suffices; otherwise each binding is examined.
 */
async function hasRoom(
  reader: Reader,
  where: Where,
  most: number,
  now: number,
  isMeant: (binding: Binding) => Promise<boolean> = async () => true,
): Promise<boolean> {
  if ((await reader.count(bindings, where)) <= most) return true
  let count = 0
  for await (const { value } of reader.each(bindings, where)) {
    const isCounted = holdsAt(value, now) && value.created_by !== systemPrincipalId && (await isMeant(value))
    if (isCounted) count += 1
    if (count > most) return false
  }
  return true
}

/**
 * Returns a function that reports whether a binding is in the same organisation as `scope`. The platform counts as an
 * organisation.
 */
async function nearness(
  reader: Reader,
  parts: LimitSources,
  scope: Scope,
): Promise<(binding: Binding) => Promise<boolean>> {
  const known = new Map<string, string>()
  const organisationOf = async (of: Scope): Promise<string> => {
    const found = known.get(of.id) ?? (await chainOf(reader, parts, of))?.at(-2)?.id ?? ''
    known.set(of.id, found)
    return found
  }
  const organisation = await organisationOf(scope)
  return async binding => (await organisationOf(scopeOfMembers(binding))) === organisation
}

const exceeded = (description: string): Error =>
  bindingQuotaExceeded(`${description}; revoke some of them first`, {
    quota: [{ subject: 'iam.bindings', description }],
  })
