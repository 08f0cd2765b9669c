import type { Binding, Policy, Principal, Role } from '../../../output/iam/types.ts'
import { hasId, type Collection, type Reader } from '../../ports/store.ts'
import { bindings, holdsAt } from '../collections/bindings-store.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { policies } from '../collections/policies-store.ts'
import { principals } from '../collections/principals-store.ts'
import { roles } from '../collections/roles-store.ts'
import { chainOf } from '../values/scopes.ts'
import type { Scope } from '../../ports/scope.ts'

/** The maximal number of documents that one statement reads by their ids. */
const batchSize = 500

/** The rows that determine the access to a scope, from one snapshot. */
export interface AccessRows {
  /** The scopes from the scope itself up to PLATFORM. */
  readonly chain: readonly Scope[]
  /** The unexpired bindings on the chain. */
  readonly bindings: readonly Binding[]
  /** The roles of the bindings. */
  readonly roles: readonly Role[]
  /** The enabled policies of the scope. */
  readonly policies: readonly Policy[]
}

/**
 * Reads the rows that determine the access to a scope, for one principal or for all; returns undefined if the scope
 * does not exist.
 */
export async function accessRows(
  reader: Reader,
  parts: Pick<IamEnvironment, 'taxonomy'>,
  scope: Scope,
  now: number,
  principal?: string,
): Promise<AccessRows | undefined> {
  const chain = await chainOf(reader, parts, scope)
  if (chain === undefined) return undefined
  const found: Binding[] = []
  const where = { scope_id: chain.map(({ id }) => id), ...(principal !== undefined && { principal_id: principal }) }
  for await (const { value } of reader.each(bindings, where)) if (holdsAt(value, now)) found.push(value)
  const named = new Set(found.map(({ role_id }) => role_id))
  return { chain, bindings: found, roles: await byIds(reader, roles, named), policies: await enabledIn(reader, scope) }
}

async function enabledIn(reader: Reader, { id, type }: Scope): Promise<readonly Policy[]> {
  const found: Policy[] = []
  if (type !== 'WORKSPACE') return found
  for await (const { value } of reader.each(policies, { workspace_id: id })) if (value.enabled) found.push(value)
  return found
}

/** Returns the principals that the bindings and policy statements of these rows name. */
export async function principalsOf(reader: Reader, rows: AccessRows): Promise<readonly Principal[]> {
  const ids = new Set(rows.bindings.map(({ principal_id }) => principal_id))
  for (const name of rows.policies.flatMap(({ statements }) => statements.flatMap(each => each.principals))) {
    const [form, id = ''] = name.split(':')
    if (form === 'principal') ids.add(id)
  }
  return byIds(reader, principals, ids)
}

async function byIds<T>(reader: Reader, collection: Collection<T>, ids: Iterable<string>): Promise<readonly T[]> {
  const all = [...ids]
  const found: T[] = []
  for (let from = 0; from < all.length; from += batchSize) {
    const where = hasId(collection, all.slice(from, from + batchSize))
    for await (const { value } of reader.each(collection, where)) found.push(value)
  }
  return found
}
