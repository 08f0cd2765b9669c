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
 * Makes the predefined roles what this version of the platform has them be. Roles that are so already are not written,
 * custom ones are not touched. Other servers are told what changed.
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

/** A predefined role as it is stored. */
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
    // Of what it covers, so that it says whether the stored one differs.
    etag: createHash('sha256').update(JSON.stringify(settable)).digest('hex').slice(0, 16),
    created: time,
    updated: time,
  }
}

/** The keys of a predefined role, ascending. */
export const permissionsOf = (catalogue: Catalogue, holds: PredefinedRole['holds']): string[] =>
  catalogue.permissions.filter(permission => permission.stage !== 'RETIRED' && holds(permission)).map(({ id }) => id)
