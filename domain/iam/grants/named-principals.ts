import { principalNotFound, roleNotFound } from '../../../output/iam/errors.ts'
import type { Principal, Role } from '../../../output/iam/types.ts'
import { atField } from '../../../runtime/errors.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Scope } from '../../ports/scope.ts'
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

/**
 * Returns the role that a field of the body names. Throws ROLE_NOT_FOUND. A role counts as absent if its owner is not on
 * `chain`, the chain of the scope of the call: nobody can have the role there, and the existence of roles of other
 * organisations is not disclosed. At the platform, whose administrators see all roles, every role is found.
 */
export async function foundRole(reader: Reader, id: string, chain: readonly Scope[], field: string): Promise<Role> {
  const role = (await reader.get(roles, id))?.value
  const isSeen = ({ scope_id, scope_type }: Role): boolean =>
    chain[0]?.type === 'PLATFORM' || chain.some(scope => scope.type === scope_type && scope.id === scope_id)
  if (role !== undefined && isSeen(role)) return role
  throw atField(noRole(id), field)
}

/** Returns the error ROLE_NOT_FOUND for a role in a path. */
export const noRole = (id: string) =>
  roleNotFound(`role ${id} does not exist`, { resource: { type: 'iam.roles', name: id } })
