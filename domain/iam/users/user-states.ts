import {
  credentialTokenInvalid,
  tokenRevoked,
  userAlreadyDeactivated,
  userNotActive,
  userNotDeactivated,
  userNotInvited,
} from '../../../output/iam/errors.ts'
import type { PrincipalStatus } from '../../../output/iam/types.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { StoredUser } from '../collections/users-store.ts'

interface Transition {
  /** Of the operation. */
  readonly type: string
  readonly from: readonly PrincipalStatus[]
  /** Undefined: ACTIVE with a password, else INVITED. */
  readonly to: PrincipalStatus | undefined
  /** What it is answered in any other status. */
  readonly refused: (message: string) => ApiError
}

/** What the verbs do to a user (iam.md 2). Who uses a token is told nothing of its user. */
export const userTransitions = {
  regenerateActivation: {
    type: 'REGENERATE_ACTIVATION',
    from: ['INVITED'],
    to: 'INVITED',
    refused: userNotInvited,
  },
  activate: { type: 'ACTIVATE', from: ['INVITED'], to: 'ACTIVE', refused: credentialTokenInvalid },
  deactivate: { type: 'DEACTIVATE', from: ['INVITED', 'ACTIVE'], to: 'DEACTIVATED', refused: userAlreadyDeactivated },
  reactivate: { type: 'REACTIVATE', from: ['DEACTIVATED'], to: undefined, refused: userNotDeactivated },
  resetPassword: { type: 'RESET_PASSWORD', from: ['ACTIVE'], to: 'ACTIVE', refused: userNotActive },
  completePasswordReset: {
    type: 'COMPLETE_PASSWORD_RESET',
    from: ['ACTIVE'],
    to: 'ACTIVE',
    refused: credentialTokenInvalid,
  },
  changePassword: { type: 'CHANGE_PASSWORD', from: ['ACTIVE'], to: 'ACTIVE', refused: tokenRevoked },
} as const satisfies Readonly<Record<string, Transition>>

export type UserVerb = keyof typeof userTransitions

/** Throws what the verb is refused with unless the user has a status that it begins in. */
export function requireStatus(verb: UserVerb, { id, status }: StoredUser): void {
  const { from, refused }: Transition = userTransitions[verb]
  if (!from.includes(status)) throw refused(`user ${id} is ${status}; this needs ${from.join(' or ')}`)
}

/** The user in a status, without what belongs to others; `more` is what belongs to this one. */
export function inStatus(
  user: StoredUser,
  status: PrincipalStatus,
  now: number,
  more: Partial<Pick<StoredUser, 'invited_by' | 'deactivate_time' | 'password_update_time'>> = {},
): StoredUser {
  const { deactivate_time: _ended, invite_expire_time: _expired, ...rest } = user
  return { ...rest, invited_by: '', status, updated: formatMillis(now), ...more }
}
