import { userAlreadyExists } from '../../../output/iam/errors.ts'
import { usersList } from '../../../output/iam/filters.ts'
import type { Principal, User } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'

/** A stored user. `throttled_until` is not stored; each read computes the field. */
export type StoredUser = Omit<User, 'throttled_until'>

export const users: Collection<StoredUser> = {
  name: 'iam_users',
  id: 'id',
  list: usersList,
  uniques: [
    {
      fields: ['email'],
      taken: ({ email }) =>
        userAlreadyExists(`a user with the address ${email} exists already`, {
          resource: { type: 'iam.users', name: email },
        }),
    },
  ],
  indexes: [['organisation_id', 'created']],
}

/** The password hashes of a user, which responses never contain. The id is the id of the user. */
export interface StoredPassword {
  readonly id: string
  /** The password hash as a PHC string; empty if there is no password. */
  readonly hash: string
  /** The earlier hashes, newest first; at most five hashes including the present hash. */
  readonly history: readonly string[]
}

export const passwords: Collection<StoredPassword> = { name: 'iam_passwords', id: 'id' }

/** Returns the directory row of a user. */
export const principalOfUser = (user: StoredUser): Principal => ({
  id: user.id,
  kind: 'USER',
  display_name: user.display_name ?? '',
  email: user.email,
  name: '',
  organisation_id: user.organisation_id,
  workspace_id: '',
  status: user.status,
  created: user.created,
  updated: user.updated,
})
