import type { Binding } from '../../../output/iam/types.ts'
import type { Reader } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { bindings, holdsAt } from '../collections/bindings-store.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { PermissionSet } from '../decisions/permission-set.ts'
import { principals } from '../collections/principals-store.ts'
import { grantedByRoles } from './role-permissions.ts'
import { chainOf } from '../values/scopes.ts'
import type { Scope } from '../../ports/scope.ts'

/** The parts from which the rights of a principal are computed. */
export interface RightsSources {
  readonly catalogue: Catalogue
  readonly taxonomy: Pick<Taxonomy, 'chain'>
}

/** Returns whether a permission has an effect; false for retired and unknown permissions. */
export function grants(catalogue: Catalogue, key: string): boolean {
  const permission = catalogue.find(key)
  return permission !== undefined && permission.stage !== 'RETIRED'
}

/** Returns the expiry of a binding in milliseconds since 1970; Infinity for a binding without expiry. */
export const endOf = ({ expire_time }: { readonly expire_time?: string | undefined }): number =>
  expire_time === undefined ? Infinity : Date.parse(expire_time)

/**
 * Permissions that a principal has or receives until an instant in milliseconds since 1970; Infinity for permanent
 * permissions.
 */
export interface HeldPermissions {
  readonly permissions: PermissionSet
  readonly until: number
}

/** Returns the unexpired unconditional bindings of a principal at any of the given scopes. */
export async function surelyBound(
  reader: Reader,
  principal: string,
  scopes: readonly Scope[],
  now: number,
): Promise<readonly Binding[]> {
  const found: Binding[] = []
  const where = { principal_id: principal, scope_id: scopes.map(({ id }) => id) }
  for await (const { value } of reader.each(bindings, where)) {
    if (value.condition === '' && holdsAt(value, now)) found.push(value)
  }
  return found
}

/** Returns the permissions of bindings, given the permissions of each role. */
export const heldThrough = (
  bound: readonly Binding[],
  granted: ReadonlyMap<string, PermissionSet>,
): readonly HeldPermissions[] =>
  bound.map(binding => ({
    permissions: granted.get(binding.role_id) ?? PermissionSet.empty,
    until: endOf(binding),
  }))

/**
 * Returns the first permission of a grant, in ascending order, that the principal does not have for as long as the
 * grant; undefined if no permission is missing.
 */
export function firstMissing(
  catalogue: Catalogue,
  held: readonly HeldPermissions[],
  granted: HeldPermissions,
): string | undefined {
  const lasting = held.filter(({ until }) => until >= granted.until)
  const all = PermissionSet.union(lasting.map(({ permissions }) => permissions))
  if (granted.permissions.isSubsetOf(all)) return undefined
  return catalogue.permissions.find(({ bit }) => granted.permissions.has(bit) && !all.has(bit))?.id
}

/**
 * The permissions of a principal through unconditional bindings at an instant (iam.md 4.5, E1), read from rows.
 * Conditional bindings and policies do not count, and DENY statements remove nothing. A principal that is not ACTIVE
 * has no permissions.
 */
export class PrincipalRights {
  readonly #reader: Reader
  readonly #parts: RightsSources
  readonly #principal: string
  readonly #now: number
  readonly #at = new Map<string, readonly HeldPermissions[]>()
  readonly #granted = new Map<string, PermissionSet>()
  #isActive: boolean | undefined

  constructor(reader: Reader, parts: RightsSources, principal: string, now: number) {
    this.#reader = reader
    this.#parts = parts
    this.#principal = principal
    this.#now = now
  }

  /** Returns whether the principal is ACTIVE. */
  async isActive(): Promise<boolean> {
    this.#isActive ??= (await this.#reader.get(principals, this.#principal))?.value.status === 'ACTIVE'
    return this.#isActive
  }

  /** Returns whether the principal has a permission at a scope now. */
  async has(key: string, scope: Scope): Promise<boolean> {
    const permission = this.#parts.catalogue.find(key)
    if (permission === undefined) return false
    return (await this.at(scope)).some(({ permissions }) => permissions.has(permission.bit))
  }

  /** Returns the permissions at a scope, in one entry for each binding. */
  async at(scope: Scope): Promise<readonly HeldPermissions[]> {
    const known = this.#at.get(scope.id)
    if (known) return known
    const held = await this.#read(scope)
    this.#at.set(scope.id, held)
    return held
  }

  async #read(scope: Scope): Promise<readonly HeldPermissions[]> {
    const chain = await chainOf(this.#reader, this.#parts, scope)
    if (chain === undefined || !(await this.isActive())) return []
    const bound = await surelyBound(this.#reader, this.#principal, chain, this.#now)
    const unread = bound.map(({ role_id }) => role_id).filter(id => !this.#granted.has(id))
    const granted = await grantedByRoles(this.#reader, this.#parts.catalogue, unread)
    for (const [role, permissions] of granted) this.#granted.set(role, permissions)
    return heldThrough(bound, this.#granted)
  }
}
