import type { CataloguePermission } from '../interfaces/catalogue.ts'
import { attributes } from './decide.ts'
import type { Circumstances, Visibility } from '../interfaces/decisions.ts'
import type { HeldBindings } from './held-bindings.ts'
import type { KnownRights } from './known-rights.ts'
import { scopeKey, type ScopeChains } from './scope-chains.ts'
import { Turns } from './event-loop-turns.ts'
import type { PolicyIndex } from './workspace-policies.ts'
import type { Scope } from '../../ports/scope.ts'
import type { Attributes } from '../conditions/condition.ts'

/** The data from which a visibility is computed. */
export interface Sight {
  readonly rights: Pick<KnownRights, 'peekRoleSet' | 'roleSet'>
  readonly chains: Pick<ScopeChains, 'peek' | 'load'>
  workspacesWithPolicies(): Promise<ReadonlySet<string>>
  policies(workspace: string): Promise<PolicyIndex>
  isGranted(scope: Scope): Promise<boolean>
}

/**
 * Returns the scopes whose rows a list shows to an ACTIVE principal: the scopes of its unexpired bindings with the
 * permission, and their descendants. A workspace whose policies name the permission is decided separately.
 */
export async function visibleTo(
  held: HeldBindings,
  permission: CataloguePermission,
  circumstances: Circumstances,
  sight: Sight,
): Promise<Visibility> {
  const places = await boundAt(held, permission, circumstances, sight)
  const seen = new Set(places.map(scopeKey))
  const found: Scope[] = await topmost(places, seen, sight)
  const except = new Set<string>()
  const turns = new Turns()
  for (const id of permission.deniable ? await sight.workspacesWithPolicies() : []) {
    await turns.next()
    const policies = await sight.policies(id)
    const { bit } = permission
    if (policies.about('DENY', bit).length + policies.about('ALLOW', bit).length === 0) continue
    const workspace: Scope = { type: 'WORKSPACE', id }
    const isInherited = (await sight.chains.load(workspace))?.keys.some(key => seen.has(key)) ?? false
    const isGranted = await sight.isGranted(workspace)
    if (isInherited && !isGranted) except.add(id)
    if (isGranted && !isInherited) found.push(workspace)
  }
  const excepted = except.size > 0 ? { except } : {}
  if (places.some(({ type }) => type === 'PLATFORM')) return { kind: 'all', ...excepted }
  return { kind: 'below', scopes: found.filter(({ id }) => !except.has(id)), ...excepted }
}

/**
 * Returns the scopes of the bindings that grant the permission now, without duplicates. Conditions are evaluated
 * without a resource, because a list has no resource.
 */
async function boundAt(
  held: HeldBindings,
  permission: CataloguePermission,
  circumstances: Circumstances,
  sight: Sight,
): Promise<readonly Scope[]> {
  const { rights } = sight
  const places: Scope[] = []
  // The attributes are created on demand, because few bindings have a condition.
  let known: Attributes | undefined
  for (const bindings of held.at.values()) {
    for (const { condition, expiresAt, roleId, scope } of bindings) {
      if (expiresAt <= circumstances.now) continue
      if (condition) {
        known ??= attributes(held, permission.id, circumstances, undefined)
        if (condition.decide(known) !== true) continue
      }
      const set = rights.peekRoleSet(roleId) ?? (await rights.roleSet(roleId))
      if (!set.has(permission.bit)) continue
      places.push(scope)
      break
    }
  }
  return places
}

/** Returns the existing scopes that are not descendants of another scope in the list. */
async function topmost(places: readonly Scope[], seen: ReadonlySet<string>, sight: Sight): Promise<Scope[]> {
  const found: Scope[] = []
  for (const scope of places) {
    const chain = sight.chains.peek(scope) ?? (await sight.chains.load(scope))
    if (chain && !chain.keys.slice(1).some(key => seen.has(key))) found.push(scope)
  }
  return found
}
