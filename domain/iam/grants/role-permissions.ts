import { LRUCache } from 'lru-cache'
import type { Role } from '../../../output/iam/types.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { permissionSet, type PermissionSet } from '../decisions/permission-set.ts'
import { roles } from '../collections/roles-store.ts'

/** The stored text of a role at the last read, and its permissions. */
interface Read {
  readonly text: string
  readonly catalogue: Catalogue
  readonly permissions: PermissionSet
}

/** The cache, keyed by the id of the role. The text of a role has up to 20 kB, so few entries are kept. */
const readLately = new LRUCache<string, Read>({ max: 200 })

/**
 * Returns the effective permissions of a role. The text names hundreds of permissions, so an unchanged text is not
 * parsed again.
 */
export function grantedBy(role: Stored<Role>, catalogue: Catalogue): PermissionSet {
  const { text } = role.text
  const before = readLately.get(role.id)
  if (before?.text === text && before.catalogue === catalogue) return before.permissions
  const permissions = permissionSet(catalogue, role.value.permissions)
  readLately.set(role.id, { text, catalogue, permissions })
  return permissions
}

/** Returns the permissions of roles, keyed by role id; omits deleted roles. */
export async function grantedByRoles(
  reader: Reader,
  catalogue: Catalogue,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, PermissionSet>> {
  const found = new Map<string, PermissionSet>()
  const asked = [...new Set(ids)]
  if (asked.length === 0) return found
  for await (const role of reader.each(roles, { id: asked })) found.set(role.id, grantedBy(role, catalogue))
  return found
}
