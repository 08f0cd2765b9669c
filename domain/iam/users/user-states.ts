import {
  credentialTokenInvalid,
  tokenRevoked,
  userAlreadyDeactivated,
  userNotActive,
  userNotDeactivated,
  userNotInvited,
} from '../../../output/iam/errors.ts'
import type { PrincipalStatus } from '../../../output/iam/types.ts'
import type { ApiError, DetailsWith } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { StoredUser } from '../collections/users-store.ts'

interface UserTransition {
  /** The type of the operation. */
  readonly type: string
  readonly from: readonly PrincipalStatus[]
  /** The status after the call. Undefined: ACTIVE if the user has a password, otherwise INVITED. */
  readonly to: PrincipalStatus | undefined
  /** Returns the error for users in any other status. */
  readonly refused: (message: string, details: DetailsWith<'precondition' | 'resource'>) => ApiError
}

/** Returns the error of a bad credential token, without the details, which would reveal the user. */
const refusedToken = (message: string): ApiError => credentialTokenInvalid(message)

/**
 * The changes of status of a user, keyed by the verb of the call (iam.md 2). The errors for credential tokens never
 * reveal the user.
 */
export const userTransitions = {
  regenerateActivation: {
    type: 'REGENERATE_ACTIVATION',
    from: ['INVITED'],
    to: 'INVITED',
    refused: userNotInvited,
  },
  activate: { type: 'ACTIVATE', from: ['INVITED'], to: 'ACTIVE', refused: refusedToken },
  deactivate: { type: 'DEACTIVATE', from: ['INVITED', 'ACTIVE'], to: 'DEACTIVATED', refused: userAlreadyDeactivated },
  reactivate: { type: 'REACTIVATE', from: ['DEACTIVATED'], to: undefined, refused: userNotDeactivated },
  resetPassword: { type: 'RESET_PASSWORD', from: ['ACTIVE'], to: 'ACTIVE', refused: userNotActive },
  completePasswordReset: {
    type: 'COMPLETE_PASSWORD_RESET',
    from: ['ACTIVE'],
    to: 'ACTIVE',
    refused: refusedToken,
  },
  changePassword: {
    type: 'CHANGE_PASSWORD',
    from: ['ACTIVE'],
    to: 'ACTIVE',
    refused: message => tokenRevoked(message),
  },
} as const satisfies Readonly<Record<string, UserTransition>>

export type UserVerb = keyof typeof userTransitions

/** Throws the error of the verb unless the user's status allows it. */
export function requireStatus(verb: UserVerb, { id, status }: StoredUser): void {
  const { from, refused }: UserTransition = userTransitions[verb]
  if (from.includes(status)) return
  const wanted = from.join(' or ')
  throw refused(`user ${id} is ${status}; the call needs ${wanted}`, {
    resource: { type: 'iam.users', name: id },
    precondition: [{ type: 'STATE', subject: id, description: `the status must be ${wanted}` }],
  })
}

/**
 * Returns the user in another status, without members that belong to other statuses; `more` are the members of the new
 * status.
 */
export function inStatus(
  user: StoredUser,
  status: PrincipalStatus,
  now: number,
  more: Partial<Pick<StoredUser, 'invited_by' | 'deactivate_time' | 'password_update_time'>> = {},
): StoredUser {
  const { deactivate_time: _ended, invite_expire_time: _expired, ...rest } = user
  return { ...rest, invited_by: '', status, updated: formatMillis(now), ...more }
}
