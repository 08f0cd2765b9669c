import type { IamArea } from '../../../output/iam/area.ts'
import { userNotFound } from '../../../output/iam/errors.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { writePrincipal } from '../collections/principals-store.ts'
import { principalOfUser, users, type StoredUser } from '../collections/users-store.ts'
import { homeOf } from '../values/home-scope.ts'

/** Returns the effect of a call that changes a user, for the operation record. */
export const userEffect = (type: IamArea['operationType'], user: StoredUser): Effect<IamArea> => ({
  type,
  resourceType: 'iam.users',
  resourceId: user.id,
  scope: homeOf(user),
})

/** Returns the stored user; throws USER_NOT_FOUND if the user does not exist. */
export function foundUser(stored: Stored<StoredUser> | undefined, id: string): Stored<StoredUser> {
  if (stored) return stored
  throw userNotFound(`user ${id} does not exist`, { resource: { type: 'iam.users', name: id } })
}

/** Inserts a user and its directory row. Throws USER_ALREADY_EXISTS. */
export async function insertUser(tx: Transaction, user: StoredUser): Promise<void> {
  await writePrincipal(tx, principalOfUser(user))
  await tx.insert(users, user)
}

/** Updates a user that the transaction has locked, and its directory row. */
export async function writeUser(tx: Transaction, { id, version }: Stored<StoredUser>, next: StoredUser): Promise<void> {
  await tx.update(users, id, next, version)
  await writePrincipal(tx, principalOfUser(next))
}
