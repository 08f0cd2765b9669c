import {
  escalationDenied,
  lastAdministrator,
  principalKindNotBindable,
  roleNotBindableAtScope,
} from '../../../output/iam/errors.ts'
import type { Binding, Principal, Role } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { administers, administrationsOf, hasOtherAdministrator, isActiveUser } from './administrator-bindings.ts'
import { bindings, holdsAt } from '../collections/bindings-store.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { findPrincipal } from './named-principals.ts'
import { giftsOf, type Gift } from './granted-permissions.ts'
import { firstMissing, Rights, type RightsParts } from './held-permissions.ts'
import { permissionSet } from '../decisions/permission-set.ts'
import { chainOf, named, scopeOf } from '../values/scopes.ts'
import { principalOfUser, type StoredUser } from '../collections/users-store.ts'
import { platform } from '../../ports/access.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * The one guard against climbing (iam.md 4.5): every path that gives, changes or takes over rights passes here. All of
 * it reads rows in the caller's transaction, which holds the revision, and never what is remembered.
 */

const rightsOf = (reader: Reader, parts: RightsParts, { now, principal }: CallContext): Rights =>
  new Rights(reader, parts, principal?.id ?? '', now)

/** E1: throws ESCALATION_DENIED unless the caller holds all that is given, at the same scope and as long. */
export async function requireGrantable(
  tx: Transaction,
  parts: RightsParts,
  context: CallContext,
  gifts: Iterable<Gift> | AsyncIterable<Gift>,
): Promise<void> {
  const rights = rightsOf(tx, parts, context)
  for await (const gift of gifts) {
    const permission = firstMissing(parts.catalogue, await rights.at(gift.scope), gift)
    if (permission !== undefined) throw denied(permission, gift)
  }
}

function denied(permission: string, { scope, until }: Gift): Error {
  const lasting = until === Infinity ? 'for good' : 'at least as long'
  const message = `you do not hold ${permission} at ${named(scope)} unconditionally and ${lasting}, so you cannot give it`
  return escalationDenied(message, { permission })
}

/**
 * E2, and E6 of bindings that there are: whoever adds permissions to a role must hold them at its owner scope for good,
 * and none of class ADMIN comes into a role that a service account has at PLATFORM.
 */
export async function requireRoleEdit(
  tx: Transaction,
  parts: RightsParts,
  context: CallContext,
  role: Pick<Role, 'id' | 'name' | 'scope_type' | 'scope_id'>,
  added: readonly string[],
): Promise<void> {
  if (added.some(key => isAdministrative(parts.catalogue, key))) await requireNoPrograms(tx, role, context.now)
  const permissions = permissionSet(parts.catalogue, added)
  await requireGrantable(tx, parts, context, [{ permissions, scope: scopeOf(role), until: Infinity }])
}

async function requireNoPrograms(tx: Transaction, { id, name }: Pick<Role, 'id' | 'name'>, now: number): Promise<void> {
  const where = { role_id: id, scope_type: 'PLATFORM', principal_kind: 'SERVICE_ACCOUNT' }
  for await (const { value } of tx.each(bindings, where)) {
    if (!holdsAt(value, now)) continue
    const message = `service account ${value.principal_id} has role ${name} at the platform, so no ADMIN permission can be added`
    throw principalKindNotBindable(message)
  }
}

/** E3: throws ROLE_NOT_BINDABLE_AT_SCOPE unless a role can be given at a scope. */
export async function requireReach(reader: Reader, parts: RightsParts, role: Role, scope: Scope): Promise<void> {
  if (!role.bindable_scope_types.includes(scope.type)) {
    const types = role.bindable_scope_types.join(', ')
    throw roleNotBindableAtScope(`role ${role.id} can be given at ${types} only, not at ${named(scope)}`)
  }
  const owner = scopeOf(role)
  const chain = await chainOf(reader, parts, scope)
  if (chain?.some(({ id, type }) => id === owner.id && type === owner.type)) return
  // Neither its name nor its owner: the caller may know no more of it than the id.
  throw roleNotBindableAtScope(`role ${role.id} can be given at its owner and below only, not at ${named(scope)}`)
}

/** E6: throws PRINCIPAL_KIND_NOT_BINDABLE when a principal of this kind must not have a role at a scope. */
export function requireBindable(catalogue: Catalogue, principal: Principal, role: Role, scope: Scope): void {
  if (principal.kind === 'SYSTEM') throw principalKindNotBindable('the system principal takes no roles')
  if (principal.kind !== 'SERVICE_ACCOUNT') return
  const isTooMuch = role.id === 'platform-admin' || (scope.type === 'PLATFORM' && hasAdministrative(catalogue, role))
  if (!isTooMuch) return
  throw principalKindNotBindable(`role ${role.name} is not for service accounts at ${named(scope)}`)
}

const hasAdministrative = (catalogue: Catalogue, role: Role): boolean =>
  role.permissions.some(key => isAdministrative(catalogue, key))

/** One that is retired is not. */
const isAdministrative = (catalogue: Catalogue, key: string): boolean => catalogue.find(key)?.access_class === 'ADMIN'

/** What is done to an account: of who is deactivated less counts. */
export type TakeOver = 'DEACTIVATE' | 'OTHER'

/**
 * E4: throws ESCALATION_DENIED unless the caller could give all that a user has; of who is deactivated only what lies at
 * PLATFORM and inside the home organisation counts.
 */
export async function requireTakeOver(
  tx: Transaction,
  parts: RightsParts,
  context: CallContext,
  target: StoredUser,
  kind: TakeOver,
): Promise<void> {
  const gifts = giftsOf(tx, parts, principalOfUser(target), context.now, kind === 'DEACTIVATE')
  await requireGrantable(tx, parts, context, gifts)
}

/**
 * E4 when a credential token is used that its minter was answered: whether the minter is still ACTIVE and could give
 * all that the user has by now.
 */
export async function mayTakeOver(
  reader: Reader,
  parts: RightsParts,
  minter: string,
  target: string,
  now: number,
): Promise<boolean> {
  const rights = new Rights(reader, parts, minter, now)
  const principal = await findPrincipal(reader, target)
  if (principal === undefined || !(await rights.isActive())) return false
  for await (const gift of giftsOf(reader, parts, principal, now)) {
    if (firstMissing(parts.catalogue, await rights.at(gift.scope), gift) !== undefined) return false
  }
  return true
}

/**
 * E5 of a user who is to be deactivated: throws LAST_ADMINISTRATOR when the platform, or an organisation, would be left
 * without an ACTIVE user who administers it for good. Of organisations a caller is exempt who holds iam.bindings.delete
 * at PLATFORM.
 */
export async function requireOtherAdministrator(
  tx: Transaction,
  parts: RightsParts,
  context: CallContext,
  { id }: Pick<StoredUser, 'id'>,
): Promise<void> {
  await requireAdministrators(tx, parts, context, await administrationsOf(tx, id))
}

/** E5 of bindings that are to go, or to get a condition or an end; throws as `requireOtherAdministrator`. */
export async function requireAdministrators(
  tx: Transaction,
  parts: RightsParts,
  context: CallContext,
  lost: readonly Binding[],
): Promise<void> {
  for (const binding of lost) {
    if (!administers(binding) || !(await isActiveUser(tx, binding))) continue
    if (await hasOtherAdministrator(tx, binding)) continue
    if (binding.scope_type === 'ORGANISATION' && (await isExempt(tx, parts, context))) continue
    const message = `${named(scopeOf(binding))} would be left without an active administrator; appoint another one first`
    throw lastAdministrator(message)
  }
}

async function isExempt(tx: Transaction, parts: RightsParts, context: CallContext): Promise<boolean> {
  return rightsOf(tx, parts, context).has('iam.bindings.delete', platform)
}
