import { roleAlreadyExists } from '../../../output/iam/errors.ts'
import { rolePermissionsList, rolesList } from '../../../output/iam/filters.ts'
import type { Role, RolePermission } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'

/**
 * The roles. A stored role equals the role in responses. The id of a predefined role is its name, and each start
 * updates the predefined roles.
 */
export const roles: Collection<Role> = {
  name: 'iam_roles',
  id: 'id',
  list: rolesList,
  uniques: [
    {
      fields: ['scope_type', 'scope_id', 'name'],
      taken: ({ name }) =>
        roleAlreadyExists(`a role named ${name} exists already`, { resource: { type: 'iam.roles', name } }),
    },
  ],
}

/**
 * A permission of a role, with the time at which the role received the permission. Decisions use the list of
 * permissions in the role itself.
 */
export interface StoredRolePermission extends RolePermission {
  /** The id in the form `<role>/<permission>`. */
  readonly id: string
}

export const rolePermissions: Collection<StoredRolePermission> = {
  name: 'iam_role_permissions',
  id: 'id',
  list: { ...rolePermissionsList, key: 'id' },
  listedBelow: 'role_id',
  columns: { role_id: 'STRING' },
  indexes: [['permission']],
}
