import { LRUCache } from 'lru-cache'
import type { Binding, Principal, PrincipalKind, PrincipalStatus } from '../../../output/iam/types.ts'
import type { Reader } from '../../ports/store.ts'
import { bindings } from '../collections/bindings-store.ts'
import { storedCondition } from '../conditions/conditions.ts'
import { principals } from '../collections/principals-store.ts'
import { scopeKey } from './scope-chains.ts'
import type { Scope } from '../../ports/scope.ts'
import type { Condition } from '../conditions/condition.ts'

/** A binding in the form that decisions use. */
export interface HeldBinding {
  readonly id: string
  readonly roleId: string
  readonly scope: Scope
  readonly condition: Condition | undefined
  /** The text of the condition, as stored. */
  readonly conditionText: string
  /** The expiry of the binding, in milliseconds since 1970; Infinity for a binding without expiry. */
  readonly expiresAt: number
}

/** A principal with all of its bindings. */
export interface HeldBindings {
  readonly principal: {
    readonly id: string
    readonly kind: PrincipalKind
    readonly email: string
    /** The workspace of a service account; empty for users. */
    readonly workspace: string
  }
  readonly status: PrincipalStatus
  /** The bindings, keyed by the `scopeKey` of their scopes. */
  readonly at: ReadonlyMap<string, readonly HeldBinding[]>
}

/** Reads a principal and its bindings, by two indexed reads; returns undefined if the principal does not exist. */
export async function heldBindings(reader: Reader, id: string): Promise<HeldBindings | undefined> {
  const [stored, found] = await Promise.all([reader.get(principals, id), bindingsOf(reader, id)])
  return stored && holding(stored.value, found)
}

/** Returns a principal and its bindings in the form that decisions use. */
export function holding(
  { email, id, kind, status, workspace_id: workspace }: Omit<Principal, 'created' | 'updated'>,
  found: Iterable<Binding>,
): HeldBindings {
  const at = new Map<string, HeldBinding[]>()
  for (const binding of found) {
    const { key, scope } = placeOf(binding)
    const held = heldBinding(binding, scope)
    const there = at.get(key)
    if (there) there.push(held)
    else at.set(key, [held])
  }
  return { principal: { id, kind, email, workspace }, status, at }
}

/** Returns all bindings of a principal, including expired bindings. */
export async function bindingsOf(reader: Reader, principal: string): Promise<readonly Binding[]> {
  const found: Binding[] = []
  for await (const { value } of reader.each(bindings, { principal_id: principal })) found.push(value)
  return found
}

/** A scope and its `scopeKey`. */
interface Place {
  readonly scope: Scope
  readonly key: string
}

/**
 * Shared objects for scopes and role ids. Many bindings have the same scope and role, and sharing keeps a cache of a
 * million bindings small.
 */
const places = new LRUCache<string, Place>({ max: 50_000 })
const roleIds = new LRUCache<string, string>({ max: 10_000 })

function placeOf({ scope_id, scope_type }: Binding): Place {
  const scope: Scope = { type: scope_type, id: scope_id }
  const key = scopeKey(scope)
  const known = places.get(key)
  if (known) return known
  const place = { scope, key }
  places.set(key, place)
  return place
}

function sharedId(role: string): string {
  const known = roleIds.get(role)
  if (known === undefined) roleIds.set(role, role)
  return known ?? role
}

const heldBinding = (binding: Binding, scope: Scope): HeldBinding => ({
  id: binding.id,
  roleId: sharedId(binding.role_id),
  scope,
  condition: storedCondition(binding.condition),
  conditionText: binding.condition,
  expiresAt: binding.expire_time === undefined ? Infinity : Date.parse(binding.expire_time),
})
