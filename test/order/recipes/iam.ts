import type { AreaRecipes } from '../recipe.ts'
import { accessRecipes } from './iam/access.ts'
import { accountRecipes } from './iam/account.ts'
import { policyRecipes } from './iam/policies.ts'
import { roleRecipes } from './iam/roles.ts'
import { userRecipes } from './iam/users.ts'

export const recipes: AreaRecipes = {
  reasons: {
    // A reference is resolved before its use is authorized (iam.md 4.5, Order).
    ROLE_NOT_BINDABLE_AT_SCOPE: 'reference',
    PRINCIPAL_KIND_NOT_BINDABLE: 'reference',
    ACCESS_INHERITED: 'reference',
    'grantAccess.LAST_ADMINISTRATOR': 'reference',
    'revokeAccess.LAST_ADMINISTRATOR': 'reference',
    // The permissions that an update adds follow only from the row of the role.
    'updateRole.UNKNOWN_PERMISSION': 'reference',
    'removeRolePermission.ROLE_PERMISSION_NOT_FOUND': 'existence of permission',
    // The checks of a password use the email address and the former passwords of its user.
    CURRENT_PASSWORD_MISMATCH: 'state',
    PASSWORD_TOO_WEAK: 'state',
    PASSWORD_REUSED: 'state',
    // These paths contain no id: the resource follows from the caller (`me`) or from the token in the body.
    CALLER_NOT_A_USER: 'existence of user',
    'deleteMyAvatar.AVATAR_NOT_FOUND': 'existence of avatar',
    CREDENTIAL_TOKEN_INVALID: 'existence of token',
  },
  operations: { ...accessRecipes, ...accountRecipes, ...policyRecipes, ...roleRecipes, ...userRecipes },
}
