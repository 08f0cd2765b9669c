import {
  escalationDenied,
  lastAdministrator,
  principalKindNotBindable,
  roleNotBindableAtScope,
} from '../../../output/iam/errors.ts'
import type { Binding, Principal, Role } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { administers, administrationsOf, hasOtherAdministrator, isActiveUser } from './administrator-bindings.ts'
import { bindings, holdsAt } from '../collections/bindings-store.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { findPrincipal } from './named-principals.ts'
import { grantedPermissionsOf, type GrantedPermissions } from './granted-permissions.ts'
import { firstMissing, PrincipalRights, type RightsSources } from './held-permissions.ts'
import { permissionSet } from '../decisions/permission-set.ts'
import { named, scopeOfMembers } from '../values/scopes.ts'
import { principalOfUser, type StoredUser } from '../collections/users-store.ts'
import { platform } from '../../ports/access.ts'
import type { Scope } from '../../ports/scope.ts'

// The guard against escalation (iam.md 4.5): every call that grants, changes or takes over rights is checked in this
// file. The checks read rows in the transaction of the caller, which has locked the revision, and never read a cache.

const rightsOf = (reader: Reader, parts: RightsSources, { now, principal }: CallContext): PrincipalRights =>
  new PrincipalRights(reader, parts, principal?.id ?? '', now)

/**
 * Checks rule E1: throws ESCALATION_DENIED unless the caller has all permissions to grant, at the same scope and at
 * least as long.
 */
export async function requireGrantable(
  tx: Transaction,
  parts: RightsSources,
  context: CallContext,
  granted: Iterable<GrantedPermissions> | AsyncIterable<GrantedPermissions>,
): Promise<void> {
  const rights = rightsOf(tx, parts, context)
  for await (const each of granted) {
    const permission = firstMissing(parts.catalogue, await rights.at(each.scope), each)
    if (permission !== undefined) throw denied(permission, each)
  }
}

function denied(permission: string, { scope, until }: GrantedPermissions): Error {
  const lasting = until === Infinity ? 'for good' : 'at least as long'
  const message = `you do not hold ${permission} at ${named(scope)} unconditionally and ${lasting}, so you cannot grant the permission`
  return escalationDenied(message, { permission })
}

/**
 * Checks rule E2, and rule E6 for existing bindings. A caller that adds permissions to a role must have these
 * permissions permanently at the owner of the role. A role that a service account has at PLATFORM must not receive a
 * permission of class ADMIN.
 */
export async function requireRoleEdit(
  tx: Transaction,
  parts: RightsSources,
  context: CallContext,
  role: Pick<Role, 'id' | 'name' | 'scope_type' | 'scope_id'>,
  added: readonly string[],
): Promise<void> {
  if (added.some(key => isAdministrative(parts.catalogue, key))) await requireNoPrograms(tx, role, context.now)
  const permissions = permissionSet(parts.catalogue, added)
  await requireGrantable(tx, parts, context, [{ permissions, scope: scopeOfMembers(role), until: Infinity }])
}

async function requireNoPrograms(tx: Transaction, { id, name }: Pick<Role, 'id' | 'name'>, now: number): Promise<void> {
  const where = { role_id: id, scope_type: 'PLATFORM', principal_kind: 'SERVICE_ACCOUNT' }
  for await (const { value } of tx.each(bindings, where)) {
    if (!holdsAt(value, now)) continue
    const message = `service account ${value.principal_id} has role ${name} at the platform, so no ADMIN permission can be added`
    throw notBindable(message, value.principal_id, 'no service account may have the role at the platform')
  }
}

/**
 * Checks rule E3 for a role that `foundRole` has found: throws ROLE_NOT_BINDABLE_AT_SCOPE unless the role can be bound at
 * scopes of this type.
 */
export function requireReach(role: Role, scope: Scope): void {
  if (role.bindable_scope_types.includes(scope.type)) return
  const types = role.bindable_scope_types.join(', ')
  throw notBindableAt(role, `role ${role.id} can be given at ${types} only, not at ${named(scope)}`)
}

const notBindableAt = ({ id }: Pick<Role, 'id'>, message: string): ApiError =>
  roleNotBindableAtScope(message, {
    resource: { type: 'iam.roles', name: id },
    precondition: [{ type: 'SCOPE', subject: id, description: message }],
  })

const notBindable = (message: string, principal: string, description: string): ApiError =>
  principalKindNotBindable(message, {
    resource: { type: 'iam.principals', name: principal },
    precondition: [{ type: 'KIND', subject: principal, description }],
  })

/**
 * Checks rule E6: throws PRINCIPAL_KIND_NOT_BINDABLE if a principal of this kind must not have the role at the scope.
 */
export function requireBindable(catalogue: Catalogue, principal: Principal, role: Role, scope: Scope): void {
  if (principal.kind === 'SYSTEM')
    throw notBindable(
      'the system principal cannot have roles',
      principal.id,
      'the principal must be a user or a service account',
    )
  if (principal.kind !== 'SERVICE_ACCOUNT') return
  const isTooMuch = role.id === 'platform-admin' || (scope.type === 'PLATFORM' && hasAdministrative(catalogue, role))
  if (!isTooMuch) return
  throw notBindable(
    `role ${role.name} is not for service accounts at ${named(scope)}`,
    principal.id,
    'the principal must be a user',
  )
}

const hasAdministrative = (catalogue: Catalogue, role: Role): boolean =>
  role.permissions.some(key => isAdministrative(catalogue, key))

/** Returns whether a key names a permission of class ADMIN; false for a retired permission. */
const isAdministrative = (catalogue: Catalogue, key: string): boolean => catalogue.find(key)?.access_class === 'ADMIN'

/** The actions on the account of another user. A deactivation must pass fewer checks than other actions. */
export type TakeOver = 'DEACTIVATE' | 'OTHER'

/**
 * Checks rule E4: throws ESCALATION_DENIED unless the caller could grant all permissions of the user. For a
 * deactivation, only the permissions at PLATFORM and in the home organisation count.
 */
export async function requireTakeOver(
  tx: Transaction,
  parts: RightsSources,
  context: CallContext,
  target: StoredUser,
  kind: TakeOver,
): Promise<void> {
  const granted = grantedPermissionsOf(tx, parts, principalOfUser(target), context.now, kind === 'DEACTIVATE')
  await requireGrantable(tx, parts, context, granted)
}

/**
 * Returns whether the creator of a credential token may still take the account over (rule E4): the creator is ACTIVE
 * and could grant all present permissions of the user. Used for tokens that were returned to their creator.
 */
export async function mayTakeOver(
  reader: Reader,
  parts: RightsSources,
  minter: string,
  target: string,
  now: number,
): Promise<boolean> {
  const rights = new PrincipalRights(reader, parts, minter, now)
  const principal = await findPrincipal(reader, target)
  if (principal === undefined || !(await rights.isActive())) return false
  for await (const each of grantedPermissionsOf(reader, parts, principal, now)) {
    if (firstMissing(parts.catalogue, await rights.at(each.scope), each) !== undefined) return false
  }
  return true
}

/**
 * Checks rule E5 for the deactivation of a user: throws LAST_ADMINISTRATOR if the platform or an organisation would
 * lose its last ACTIVE permanent administrator. A caller with iam.bindings.delete at PLATFORM may remove the last
 * administrator of an organisation.
 */
export async function requireOtherAdministrator(
  tx: Transaction,
  parts: RightsSources,
  context: CallContext,
  { id }: Pick<StoredUser, 'id'>,
): Promise<void> {
  await requireAdministrators(tx, parts, context, await administrationsOf(tx, id))
}

/**
 * Checks rule E5 for bindings that are deleted, or receive a condition or an expiry; throws the error of
 * `requireOtherAdministrator`.
 */
export async function requireAdministrators(
  tx: Transaction,
  parts: RightsSources,
  context: CallContext,
  lost: readonly Binding[],
): Promise<void> {
  for (const binding of lost) {
    if (!administers(binding) || !(await isActiveUser(tx, binding))) continue
    if (await hasOtherAdministrator(tx, binding)) continue
    if (binding.scope_type === 'ORGANISATION' && (await isExempt(tx, parts, context))) continue
    const message = `${named(scopeOfMembers(binding))} would be left without an active administrator; appoint another administrator first`
    const subject = named(scopeOfMembers(binding))
    const description = 'another active user must be an administrator there'
    throw lastAdministrator(message, { precondition: [{ type: 'ADMINISTRATOR', subject, description }] })
  }
}

async function isExempt(tx: Transaction, parts: RightsSources, context: CallContext): Promise<boolean> {
  return rightsOf(tx, parts, context).has('iam.bindings.delete', platform)
}
