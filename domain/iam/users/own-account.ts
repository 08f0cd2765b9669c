import { callerNotAUser, currentPasswordMismatch, tokenRevoked } from '../../../output/iam/errors.ts'
import type { ChangeMyPasswordRequest, IamOperation, UpdateMyProfileRequest, User } from '../../../output/iam/types.ts'
import { userProfileFields } from '../../../output/iam/validators.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { applyUpdate, checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { reuseOf } from '../credentials/stored-passwords.ts'
import { settableOf } from './profile-fields.ts'
import { unlessBusy } from '../interfaces/throttle.ts'
import { requireStatus } from './user-states.ts'
import { userEffect, writeUser } from './user-rows.ts'
import { passwords, users, type StoredPassword, type StoredUser } from '../collections/users-store.ts'

/** Serves the calls of users on their own accounts. */
export class OwnAccount {
  readonly #parts: IamEnvironment

  constructor(parts: IamEnvironment) {
    this.#parts = parts
  }

  async profile(context: CallContext): Promise<Answer<User>> {
    return (await readCaller(this.#parts.store, context)).text
  }

  async updateProfile(request: UpdateMyProfileRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { body, update_mask } = request
    requireUser(context)
    return mutateIam(this.#parts, context, request, async tx => {
      const stored = await lockCaller(tx, context)
      const settable = settableOf(body, stored.value.email)
      const { changed, value } = applyUpdate(userProfileFields, stored.value, settable, update_mask)
      checkEtag(body.etag, stored.value.etag)
      if (changed.length > 0) {
        const time = formatMillis(context.now)
        await writeUser(tx, stored, { ...value, etag: nextEtag(stored.value.etag), updated: time })
      }
      return { ...userEffect('UPDATE', value), changed }
    })
  }

  /**
   * Changes the password. The checks run before the transaction, but the transaction throws their error: a retry of a
   * completed call returns the first response, although its current password is no longer valid.
   */
  async changePassword(request: ChangeMyPasswordRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { feed, passwords: hashes, sessions, store, throttle } = this.#parts
    const { value: user } = await readCaller(store, context)
    const attempt = await throttle.password(user.email, context)
    const known = (await store.get(passwords, user.id))?.value
    const { fault, hash } = await unlessBusy(attempt, this.#judged(request.body, user, known))
    if (fault !== undefined && fault.reason !== mismatch().reason) await attempt.succeed()
    const answer = await mutateIam(this.#parts, context, request, async tx => {
      if (fault) throw fault
      await feed.hold(tx)
      const stored = await lockCaller(tx, context)
      requireStatus('changePassword', stored.value)
      if ((await tx.lock(passwords, user.id))?.value.hash !== known?.hash) throw mismatch()
      const time = formatMillis(context.now)
      await hashes.store(tx, user.id, hash)
      await writeUser(tx, stored, { ...stored.value, password_update_time: time })
      await sessions.endAll(tx, user.id, 'PASSWORD_CHANGED', time, context.principal?.sessionId)
      return userEffect('CHANGE_PASSWORD', stored.value)
    })
    await attempt.succeed()
    return answer
  }

  /** Returns the hash of the new password, or the fault of the current or new password. */
  async #judged(
    body: ChangeMyPasswordRequest['body'],
    user: StoredUser,
    known: StoredPassword | undefined,
  ): Promise<{ readonly fault: ApiError | undefined; readonly hash: string }> {
    const fault = await this.#faultOf(body, user, known)
    return { fault, hash: fault === undefined ? await this.#parts.passwords.hash(body.new_password) : '' }
  }

  /**
   * Returns the fault of the passwords. Only a caller with the correct current password learns that the new password
   * was used before.
   */
  async #faultOf(
    { current_password, new_password }: ChangeMyPasswordRequest['body'],
    user: StoredUser,
    known: StoredPassword | undefined,
  ): Promise<ApiError | undefined> {
    const { passwords: hashes } = this.#parts
    if (!(await hashes.verify(known?.hash, current_password))) return mismatch()
    const field = 'new_password'
    const weakness = await hashes.weakness(new_password, user.email, field)
    return weakness ?? reuseOf(hashes, known, new_password, field)
  }
}

/**
 * Returns the error of a wrong current password. The status is not 401, because clients would take 401 for the end of
 * their session.
 */
function mismatch(): ApiError {
  const [field, description] = ['current_password', 'is not the current password']
  return currentPasswordMismatch(`${field} ${description}`, { badRequest: [{ field, description }] })
}

/** Returns the id of the calling user; throws CALLER_NOT_A_USER for service accounts. */
export function requireUser({ principal }: CallContext): string {
  if (principal?.kind === 'user') return principal.id
  const message = 'only users have a profile, a picture and a password; the caller is a service account'
  throw callerNotAUser(message, {
    precondition: [{ type: 'KIND', subject: principal?.id ?? '', description: 'the caller must be a user' }],
  })
}

/** Returns the user that made the call. */
export const readCaller = async (reader: Reader, context: CallContext): Promise<Stored<StoredUser>> =>
  present(await reader.get(users, requireUser(context)))

/** Locks and returns the user that made the call. */
export const lockCaller = async (tx: Transaction, context: CallContext): Promise<Stored<StoredUser>> =>
  present(await tx.lock(users, requireUser(context)))

function present(stored: Stored<StoredUser> | undefined): Stored<StoredUser> {
  if (stored) return stored
  throw tokenRevoked('the user of this token no longer exists')
}
