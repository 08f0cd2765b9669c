import { userAlreadyExists } from '../../../output/iam/errors.ts'
import { usersList } from '../../../output/iam/filters.ts'
import type { Principal, User } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'

/** A user as kept: `throttled_until` is looked up when it is read. */
export type StoredUser = Omit<User, 'throttled_until'>

export const users: Collection<StoredUser> = {
  name: 'iam_users',
  id: 'id',
  list: usersList,
  uniques: [
    { fields: ['email'], taken: ({ email }) => userAlreadyExists(`a user with the address ${email} exists already`) },
  ],
  indexes: [['organisation_id', 'created']],
}

/** What is never on the wire. The id is the user's. */
export interface StoredPassword {
  readonly id: string
  /** PHC string; empty where there is no password. */
  readonly hash: string
  /** The hashes before it, the newest first, at most five with the present one. */
  readonly history: readonly string[]
}

export const passwords: Collection<StoredPassword> = { name: 'iam_passwords', id: 'id' }

/** The row of the directory for a user. */
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
