import { bindingAlreadyExists } from '../../../output/iam/errors.ts'
import type { Binding, Principal, Role } from '../../../output/iam/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { requireBindingRoom } from './binding-limits.ts'
import { bindings, holdsAt } from '../collections/bindings-store.ts'
import { requireBindable, requireGrantable, requireReach } from './escalation.ts'
import { foundPrincipal, foundRole } from './named-principals.ts'
import { giftsOfRole } from './granted-permissions.ts'
import { endOf } from './held-permissions.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { requireActiveScope, requireChain } from '../values/scopes.ts'
import type { Scope } from '../../ports/scope.ts'

/** The minimal duration of a binding, in milliseconds (iam.md 1). */
const minLifeMs = 60_000

/** The condition and the expiry of a binding, as in the request. */
export interface BindingTerms {
  readonly condition: string
  readonly expire_time?: string | undefined
}

/** A role to grant. */
export interface RoleGrant extends BindingTerms {
  readonly context: CallContext
  readonly principal: string
  readonly role_id: string
  readonly scope: Scope
  /** The prefix of the field names in errors, for example `grants[0].`; empty by default. */
  readonly at?: string
}

/** A role to grant that has passed all checks which precede the check for an existing binding. */
export interface GivableRole {
  readonly principal: Principal
  readonly role: Role
  readonly scope: Scope
  readonly terms: BindingTerms
}

/**
 * Grants a role as createBinding does, in the transaction of the caller, and returns the binding. Checks the rules of
 * iam.md 4.5 in their order. Locks the organisation of the scope and then the revision. A caller that grants several
 * roles first locks the organisations of all scopes (`requireActiveScope`).
 */
export async function grantRole(tx: Transaction, parts: IamEnvironment, grant: RoleGrant): Promise<Binding> {
  return giveRole(tx, parts, grant.context, await givableRole(tx, parts, grant))
}

/**
 * Checks the rules of `grantRole` up to and including E1, and returns the role to grant. A caller that grants several
 * roles checks all of them before the first grant.
 */
export async function givableRole(tx: Transaction, parts: IamEnvironment, grant: RoleGrant): Promise<GivableRole> {
  const { at = '', context, scope } = grant
  const terms = checkedTerms(grant, context.now, at)
  await requireActiveScope(tx, parts, scope, `${at}scope_id`)
  await parts.feed.hold(tx)
  const principal = await foundPrincipal(tx, grant.principal, `${at}principal_id`)
  const role = await foundRole(tx, grant.role_id, await requireChain(tx, parts, scope), `${at}role_id`)
  await requireGivable(tx, parts, context, { principal, roles: [role], scope, terms })
  return { principal, role, scope, terms }
}

/**
 * Grants a role that `givableRole` has checked, and returns the binding. Throws BINDING_ALREADY_EXISTS, then
 * BINDING_QUOTA_EXCEEDED.
 */
export async function giveRole(
  tx: Transaction,
  parts: IamEnvironment,
  context: CallContext,
  { principal, role, scope, terms }: GivableRole,
): Promise<Binding> {
  const place = { principal_id: principal.id, role_id: role.id, scope_type: scope.type, scope_id: scope.id }
  const existing = await tx.find(bindings, place)
  if (existing && holdsAt(existing.value, context.now)) {
    throw bindingAlreadyExists(`the principal has the role ${role.id} at this scope already`, {
      resource: { type: 'iam.bindings', name: existing.id },
    })
  }
  await requireBindingRoom(tx, parts, principal.id, scope, 1, context.now)
  const binding = newBinding(parts.clock.newId(), principal, place, terms, context)
  await insertBinding(tx, parts, binding, existing)
  return binding
}

/** The roles to grant to one principal at one scope. */
interface RoleGrants {
  readonly principal: Principal
  readonly roles: readonly Role[]
  readonly scope: Scope
  readonly terms: BindingTerms
}

/** Checks rules E3, E6 and E1 for roles to grant, in this order (iam.md 4.5). */
export async function requireGivable(
  tx: Transaction,
  parts: IamEnvironment,
  context: CallContext,
  { principal, roles, scope, terms }: RoleGrants,
): Promise<void> {
  for (const role of roles) requireReach(role, scope)
  for (const role of roles) requireBindable(parts.catalogue, principal, role, scope)
  for (const role of roles) {
    await requireGrantable(tx, parts, context, giftsOfRole(tx, parts, { principal, role, scope, until: endOf(terms) }))
  }
}

/**
 * Returns the stored form of a checked condition and of an expiry. Throws FIELD_INVALID for an expiry that is not more
 * than a minute in the future. A retry of a completed call skips this check, because time has passed since the first
 * call.
 */
export function checkedTerms({ condition, expire_time }: BindingTerms, now: number, at = ''): BindingTerms {
  const faults = expiryFaults(expire_time, now, at)
  if (faults.length > 0) throw fieldInvalid(faults)
  const end = endOf({ expire_time })
  return { condition, ...(end !== Infinity && { expire_time: formatMillis(end) }) }
}

/** Returns a fault for an expiry that is not more than a minute in the future; `at` is the prefix of the field name. */
export const expiryFaults = (expire_time: string | undefined, now: number, at = ''): readonly FieldViolation[] =>
  endOf({ expire_time }) > now + minLifeMs
    ? []
    : [{ field: `${at}expire_time`, description: 'must be more than a minute in the future' }]

type Place = Pick<Binding, 'role_id' | 'scope_type' | 'scope_id'>

/** Returns the row of a new binding. */
export function newBinding(
  id: string,
  principal: Pick<Principal, 'id' | 'kind'>,
  { role_id, scope_id, scope_type }: Place,
  { condition, expire_time }: BindingTerms,
  { now, principal: by }: Pick<CallContext, 'now' | 'principal'>,
): Binding {
  const time = formatMillis(now)
  return {
    id,
    principal_id: principal.id,
    principal_kind: principal.kind,
    role_id,
    scope_type,
    scope_id,
    condition,
    ...(expire_time !== undefined && { expire_time }),
    created_by: by?.id ?? '',
    etag: nextEtag(undefined),
    created: time,
    updated: time,
  }
}

/**
 * Inserts a binding, or replaces an expired binding with the same principal, role and scope, and records the change in
 * the feed.
 */
export async function insertBinding(
  tx: Transaction,
  { feed }: Pick<IamEnvironment, 'feed'>,
  binding: Binding,
  expired: Stored<Binding> | undefined,
): Promise<void> {
  if (expired) await tx.delete(bindings, expired.id, expired.version)
  await tx.insert(bindings, binding)
  await feed.revise(tx, 'PRINCIPAL', binding.principal_id)
}
