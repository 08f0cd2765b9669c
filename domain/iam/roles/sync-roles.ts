import { createHash } from 'node:crypto'
import type { Role } from '../../../output/iam/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { holdRevision, recordChange } from '../collections/feed-store.ts'
import { predefinedRoles, type PredefinedRole } from './predefined-roles.ts'
import { writeRolePermissions } from './role-writes.ts'
import { roles } from '../collections/roles-store.ts'

/**
 * Updates the predefined roles to this version of the platform, and records the changes in the feed. Unchanged roles
 * are not written, and custom roles stay unchanged.
 */
export async function syncPredefinedRoles(tx: Transaction, catalogue: Catalogue, now: number): Promise<void> {
  await holdRevision(tx)
  for (const predefined of predefinedRoles) await syncRole(tx, catalogue, predefined, now)
}

async function syncRole(tx: Transaction, catalogue: Catalogue, predefined: PredefinedRole, now: number): Promise<void> {
  const role = roleOf(catalogue, predefined, formatMillis(now))
  const stored = await tx.lock(roles, role.id)
  if (stored?.value.etag === role.etag) return
  if (stored) await tx.update(roles, role.id, { ...role, created: stored.value.created }, stored.version)
  else await tx.insert(roles, role)
  await writeRolePermissions(tx, { catalogue }, role)
  await recordChange(tx, 'ROLE', role.id, now)
}

/** Returns the stored form of a predefined role. */
export function roleOf(catalogue: Catalogue, { name, ...predefined }: PredefinedRole, time: string): Role {
  const { bindableAt, description, displayName, holds } = predefined
  const permissions = permissionsOf(catalogue, holds)
  const settable = { display_name: displayName, description, permissions, bindable_scope_types: [...bindableAt] }
  return {
    id: name,
    name,
    role_type: 'PREDEFINED',
    scope_type: 'PLATFORM',
    scope_id: '',
    ...settable,
    permission_count: permissions.length,
    // The etag is a digest of the permissions and texts, so a different etag shows that the stored role is outdated.
    etag: createHash('sha256').update(JSON.stringify(settable)).digest('hex').slice(0, 16),
    created: time,
    updated: time,
  }
}

/** Returns the permissions of a predefined role, ascending. */
export const permissionsOf = (catalogue: Catalogue, holds: PredefinedRole['holds']): string[] =>
  catalogue.permissions.filter(permission => permission.stage !== 'RETIRED' && holds(permission)).map(({ id }) => id)
