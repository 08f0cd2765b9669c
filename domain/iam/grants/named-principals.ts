import { principalNotFound, roleNotFound } from '../../../output/iam/errors.ts'
import type { Principal, Role } from '../../../output/iam/types.ts'
import { atField } from '../../../runtime/errors.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Reader } from '../../ports/store.ts'
import { principals } from '../collections/principals-store.ts'
import { roles } from '../collections/roles-store.ts'

/**
 * The principal for the work of the platform itself. No list contains this principal; the principal has no rights and
 * never signs in.
 */
export const systemPrincipal: Principal = {
  id: systemPrincipalId,
  kind: 'SYSTEM',
  display_name: 'Ninefold',
  email: '',
  name: '',
  organisation_id: '',
  workspace_id: '',
  status: 'ACTIVE',
  created: '1970-01-01T00:00:00.000Z',
  updated: '1970-01-01T00:00:00.000Z',
}

/** Returns a principal of any kind; undefined if the principal does not exist. */
export async function findPrincipal(reader: Reader, id: string): Promise<Principal | undefined> {
  return id === systemPrincipalId ? systemPrincipal : (await reader.get(principals, id))?.value
}

/**
 * Returns the principal that a field of the body names; without `field`, the principal in the path. Throws
 * PRINCIPAL_NOT_FOUND.
 */
export async function foundPrincipal(reader: Reader, id: string, field?: string): Promise<Principal> {
  const principal = await findPrincipal(reader, id)
  if (principal) return principal
  const error = principalNotFound(`principal ${id} does not exist`, {
    resource: { type: 'iam.principals', name: id },
  })
  throw field === undefined ? error : atField(error, field)
}

/** Returns the role that a field of the body names. Throws ROLE_NOT_FOUND. */
export async function foundRole(reader: Reader, id: string, field: string): Promise<Role> {
  const stored = await reader.get(roles, id)
  if (stored) return stored.value
  throw atField(noRole(id), field)
}

/** Returns the error ROLE_NOT_FOUND for a role in a path. */
export const noRole = (id: string) =>
  roleNotFound(`role ${id} does not exist`, { resource: { type: 'iam.roles', name: id } })
