import { accessInherited, accessNotFound } from '../../../output/iam/errors.ts'
import type { Binding, Role } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { requireBindingRoom } from './binding-limits.ts'
import { bindings, holdsAt } from '../collections/bindings-store.ts'
import { requireAdministrators } from './escalation.ts'
import { foundPrincipal, foundRole } from './named-principals.ts'
import { checkedTerms, insertBinding, newBinding, requireGivable, type BindingTerms } from './grants.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { named, requireActiveScope, requireChain } from '../values/scopes.ts'
import type { Scope } from '../../ports/scope.ts'

/** The principal, the scope and the roles of a change of access. */
interface Subject {
  readonly principal_id: string
  readonly role_ids: readonly string[]
}

/** A role to grant, and the present binding of the role at the scope, if any. */
interface Wanted {
  readonly role: Role
  readonly existing: Stored<Binding> | undefined
}

/**
 * Grants roles to a principal at a scope, all or none (iam.md 4.6). An equal binding stays unchanged, a binding with
 * other terms receives the new terms, and an expired binding is replaced.
 */
export async function grant(
  tx: Transaction,
  parts: IamEnvironment,
  context: CallContext,
  scope: Scope,
  body: Subject & BindingTerms,
): Promise<void> {
  const terms = checkedTerms(body, context.now)
  await requireActiveScope(tx, parts, scope)
  await parts.feed.hold(tx)
  const principal = await foundPrincipal(tx, body.principal_id, 'principal_id')
  const chain = await requireChain(tx, parts, scope)
  const found: Wanted[] = []
  for (const [i, id] of body.role_ids.entries()) {
    const role = await foundRole(tx, id, chain, `role_ids[${i}]`)
    found.push({ role, existing: await tx.find(bindings, placeOf(principal.id, id, scope)) })
  }
  const wanted = found.filter(({ existing }) => !(existing && isAs(existing.value, terms, context.now)))
  const isNew = ({ existing }: Wanted): boolean => !existing || !holdsAt(existing.value, context.now)
  await requireGivable(tx, parts, context, { principal, roles: wanted.map(({ role }) => role), scope, terms })
  const added = wanted.filter(isNew)
  if (added.length > 0) await requireBindingRoom(tx, parts, principal.id, scope, added.length, context.now)
  const replaced = wanted.filter(each => !isNew(each)).flatMap(({ existing }) => existing ?? [])
  const isForGood = terms.condition === '' && terms.expire_time === undefined
  if (!isForGood) await requireAdministrators(tx, parts, context, valuesOf(replaced))
  for (const { existing, role } of added) {
    const binding = newBinding(parts.clock.newId(), principal, placeOf(principal.id, role.id, scope), terms, context)
    await insertBinding(tx, parts, binding, existing)
  }
  for (const existing of replaced) await replaceTerms(tx, existing, terms, context.now)
  if (replaced.length > 0) await parts.feed.revise(tx, 'PRINCIPAL', principal.id)
}

const placeOf = (principal_id: string, role_id: string, { id, type }: Scope) => ({
  principal_id,
  role_id,
  scope_type: type,
  scope_id: id,
})

const valuesOf = (stored: readonly Stored<Binding>[]): readonly Binding[] => stored.map(({ value }) => value)

const isAs = (binding: Binding, { condition, expire_time }: BindingTerms, now: number): boolean =>
  holdsAt(binding, now) && binding.condition === condition && binding.expire_time === expire_time

async function replaceTerms(
  tx: Transaction,
  { id, value, version }: Stored<Binding>,
  terms: BindingTerms,
  now: number,
) {
  const { expire_time: _before, ...rest } = value
  const { condition, expire_time } = terms
  const next: Binding = {
    ...rest,
    condition,
    ...(expire_time !== undefined && { expire_time }),
    etag: nextEtag(value.etag),
    updated: formatMillis(now),
  }
  await tx.update(bindings, id, next, version)
}

/**
 * Removes roles from a principal at a scope, all or none; without a list of roles, removes all bindings at the scope
 * itself. Throws ACCESS_INHERITED for a role that the principal has through higher scopes only, and ACCESS_NOT_FOUND
 * for a role that the principal does not have, or if there is no binding to remove.
 */
export async function revoke(
  tx: Transaction,
  parts: IamEnvironment,
  context: CallContext,
  scope: Scope,
  body: Subject,
): Promise<void> {
  await parts.feed.hold(tx)
  const chain = await requireChain(tx, parts, scope)
  const principal = await foundPrincipal(tx, body.principal_id, 'principal_id')
  for (const [i, id] of body.role_ids.entries()) await foundRole(tx, id, chain, `role_ids[${i}]`)
  const held = await heldOn(tx, principal.id, chain, context.now)
  const direct = held.filter(({ value }) => value.scope_type === scope.type && value.scope_id === scope.id)
  const lost =
    body.role_ids.length === 0
      ? direct
      : body.role_ids.map(role => directOf(role, direct, held, { principal: principal.id, scope }))
  if (lost.length === 0) throw notHeld(`the principal has no direct binding at ${named(scope)}`, principal.id)
  await requireAdministrators(tx, parts, context, valuesOf(lost))
  for (const { id, version } of lost) await tx.delete(bindings, id, version)
  await parts.feed.revise(tx, 'PRINCIPAL', principal.id)
}

/** Returns the unexpired bindings of a principal on a chain, in the order of the chain. */
async function heldOn(
  tx: Transaction,
  principal: string,
  chain: readonly Scope[],
  now: number,
): Promise<readonly Stored<Binding>[]> {
  const ids = chain.map(({ id }) => id)
  const found: Stored<Binding>[] = []
  for await (const stored of tx.each(bindings, { principal_id: principal, scope_id: ids })) {
    if (holdsAt(stored.value, now)) found.push(stored)
  }
  return found.sort((one, other) => ids.indexOf(one.value.scope_id) - ids.indexOf(other.value.scope_id))
}

const notHeld = (message: string, principal: string): ApiError =>
  accessNotFound(message, { resource: { type: 'iam.principals', name: principal } })

function directOf(
  role: string,
  direct: readonly Stored<Binding>[],
  held: readonly Stored<Binding>[],
  { principal, scope }: { readonly principal: string; readonly scope: Scope },
): Stored<Binding> {
  const found = direct.find(({ value }) => value.role_id === role)
  if (found) return found
  const inherited = held.find(({ value }) => value.role_id === role)?.value
  if (inherited === undefined) throw notHeld(`the principal does not have role ${role} at ${named(scope)}`, principal)
  const { id, scope_id, scope_type } = inherited
  const place = named({ id: scope_id, type: scope_type })
  const description = `the binding must be at ${named(scope)}`
  throw accessInherited(
    `role ${role} was given at ${place} and is inherited; revoke the role there`,
    { scope_type, scope_id, binding_id: id },
    {
      resource: { type: 'iam.bindings', name: id },
      precondition: [{ type: 'SCOPE', subject: id, description }],
    },
  )
}
