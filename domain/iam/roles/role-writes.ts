import type { IamArea } from '../../../output/iam/area.ts'
import { roleInUse, rolePredefined } from '../../../output/iam/errors.ts'
import type { Role } from '../../../output/iam/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { countHolding, deleteExpired } from '../grants/expired-bindings.ts'
import { noRole } from '../grants/named-principals.ts'
import { grants } from '../grants/held-permissions.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { policySubjects } from '../collections/policy-subjects-store.ts'
import { rolePermissions, roles } from '../collections/roles-store.ts'
import { requireActiveScope, scopeOfMembers } from '../values/scopes.ts'

/** Returns the effect of a call that changes a role, for the operation record. */
export const roleEffect = (type: IamArea['operationType'], role: Role): Effect<IamArea> => ({
  type,
  resourceType: 'iam.roles',
  resourceId: role.id,
  scope: scopeOfMembers(role),
})

/** Returns the stored role; throws ROLE_NOT_FOUND if the role does not exist. */
export function storedRole(stored: Stored<Role> | undefined, id: string): Stored<Role> {
  if (stored) return stored
  throw noRole(id)
}

/**
 * Locks the organisation of a role, the revision and the role, in this order, and returns the role. Throws
 * ROLE_NOT_FOUND.
 */
export async function lockRole(tx: Transaction, { feed, taxonomy }: IamEnvironment, id: string): Promise<Stored<Role>> {
  const owner = scopeOfMembers(storedRole(await tx.get(roles, id), id).value)
  await taxonomy.share(tx, owner)
  await feed.hold(tx)
  return storedRole(await tx.lock(roles, id), id)
}

/** Throws SCOPE_NOT_ACTIVE unless the owner of the role is active, and ROLE_PREDEFINED for a predefined role. */
export async function requireWritable(tx: Transaction, parts: IamEnvironment, role: Role): Promise<void> {
  await requireActiveScope(tx, parts, scopeOfMembers(role))
  if (role.role_type === 'PREDEFINED') {
    const message = `role ${role.name} comes with the platform and cannot be changed; create a role of your own`
    throw rolePredefined(message, {
      resource: { type: 'iam.roles', name: role.id },
      precondition: [{ type: 'ROLE_TYPE', subject: role.id, description: 'the role must be CUSTOM' }],
    })
  }
}

/** Returns the role with the given permissions, ascending, without retired permissions. */
export function withPermissions(
  role: Role,
  permissions: Iterable<string>,
  { catalogue }: Pick<IamEnvironment, 'catalogue'>,
) {
  const kept = [...new Set(permissions)].filter(key => grants(catalogue, key)).toSorted()
  return { ...role, permissions: kept, permission_count: kept.length }
}

/** Writes a changed role that the transaction has locked, and records the change in the feed. */
export async function writeRole(
  tx: Transaction,
  parts: IamEnvironment,
  { value: before, version }: Stored<Role>,
  changed: Role,
  now: number,
): Promise<void> {
  const next = { ...changed, etag: nextEtag(before.etag), updated: formatMillis(now) }
  await tx.update(roles, before.id, next, version)
  await writeRolePermissions(tx, parts, next)
  await parts.feed.revise(tx, 'ROLE', before.id)
}

/**
 * Updates the rows with the time at which a role received each of its permissions: inserts rows for added permissions,
 * and deletes the rows of removed permissions.
 */
export async function writeRolePermissions(
  tx: Transaction,
  { catalogue }: Pick<IamEnvironment, 'catalogue'>,
  role: Role,
) {
  const added = new Set(role.permissions)
  for await (const { id, value, version } of tx.each(rolePermissions, { role_id: role.id })) {
    if (!added.delete(value.permission)) await tx.delete(rolePermissions, id, version)
  }
  const rows = [...added].map(permission => ({
    id: `${role.id}/${permission}`,
    role_id: role.id,
    permission,
    access_class: catalogue.find(permission)?.access_class ?? ('READ' as const),
    created: role.updated,
  }))
  await tx.insertAll(rolePermissions, rows)
}

/** Throws ROLE_IN_USE while unexpired bindings grant the role, or policies name it. */
export async function requireUnused(tx: Transaction, { id, name }: Role, now: number): Promise<void> {
  const held = {
    'iam.bindings': await countHolding(tx, { role_id: id }, now),
    'iam.policies': await tx.count(policySubjects, { subject: `role:${id}` }),
  }
  const some = Object.entries(held).filter(([, count]) => count > 0)
  if (some.length === 0) return
  const count = held['iam.bindings'] + held['iam.policies']
  throw roleInUse(
    `role ${name} is in use; revoke it from its principals, and remove it from the policies that name it`,
    { count: String(count) },
    {
      resource: { type: 'iam.roles', name: id },
      precondition: some.map(([type, left]) => ({ type, subject: id, description: `${left} left` })),
    },
  )
}

/** Deletes an unused role, with the rows of its permissions and its expired bindings. */
export async function dropRole(
  tx: Transaction,
  { feed }: Pick<IamEnvironment, 'feed'>,
  role: Stored<Role>,
  now: number,
) {
  const where = { role_id: role.id }
  while (await deleteExpired(tx, now, where));
  for await (const { id, version } of tx.each(rolePermissions, where)) await tx.delete(rolePermissions, id, version)
  await tx.delete(roles, role.id, role.version)
  await feed.revise(tx, 'ROLE', role.id)
}
