import type { Binding } from '../../../output/iam/types.ts'
import type { Reader } from '../../ports/store.ts'
import { bindings } from '../collections/bindings-store.ts'
import { principals } from '../collections/principals-store.ts'

/**
 * The administrator roles, keyed by type of scope. Rule E5 protects the last permanent holder of an administrator role
 * at a scope (iam.md 4.5).
 */
const administratorRoles: Readonly<Partial<Record<Binding['scope_type'], string>>> = {
  PLATFORM: 'platform-admin',
  ORGANISATION: 'organisation-admin',
}

type Terms = Pick<Binding, 'role_id' | 'scope_type' | 'condition'> & { readonly expire_time?: string | undefined }

/**
 * Returns whether a binding makes its principal, if an ACTIVE user, a permanent administrator of the platform or an
 * organisation.
 */
export const administers = ({ condition, expire_time, role_id, scope_type }: Terms): boolean =>
  condition === '' && expire_time === undefined && administratorRoles[scope_type] === role_id

/** Returns the bindings that make a user a permanent administrator of the platform or of an organisation. */
export async function administrationsOf(reader: Reader, user: string): Promise<readonly Binding[]> {
  const found: Binding[] = []
  const where = { principal_id: user, role_id: Object.values(administratorRoles) }
  for await (const { value } of reader.each(bindings, where)) if (administers(value)) found.push(value)
  return found
}

/** Returns whether a scope has an ACTIVE permanent administrator other than the principal of `lost`. */
export async function hasOtherAdministrator(reader: Reader, lost: Binding): Promise<boolean> {
  const { principal_id, role_id, scope_id, scope_type } = lost
  for await (const { value } of reader.each(bindings, { role_id, scope_id, scope_type })) {
    if (value.principal_id !== principal_id && administers(value) && (await isActiveUser(reader, value))) return true
  }
  return false
}

/** Returns whether the principal of a binding is an ACTIVE user. */
export async function isActiveUser(reader: Reader, { principal_id, principal_kind }: Binding): Promise<boolean> {
  return principal_kind === 'USER' && (await reader.get(principals, principal_id))?.value.status === 'ACTIVE'
}
