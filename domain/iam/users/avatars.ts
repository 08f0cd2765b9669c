import type { IamArea } from '../../../output/iam/area.ts'
import { createHash } from 'node:crypto'
import { avatarDimensions, avatarNotFound, avatarTooLarge, avatarTypeMismatch } from '../../../output/iam/errors.ts'
import type {
  Avatar,
  DeleteMyAvatarRequest,
  GetUserAvatarRequest,
  IamOperation,
  SetMyAvatarRequest,
} from '../../../output/iam/types.ts'
import { rateLimited } from '../../../output/shared/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { refusal } from '../../../runtime/refusal.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { avatarChanges, avatars, type StoredAvatar } from '../collections/avatars-store.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import { lockCaller, requireUser } from './own-account.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { pictureOf } from '../pictures/picture.ts'
import { foundUser, userEffect } from './user-rows.ts'
import { users, type StoredUser } from '../collections/users-store.ts'

/**
 * The limits of pictures (iam.md 4.8): bytes, pixels of each side, and the number of changes within a time in
 * milliseconds.
 */
const limits = { bytes: 256 * 1024, minSide: 16, maxSide: 1024, changes: 6, withinMs: 60 * 60 * 1000 } as const

/** Serves the pictures of users. */
export class Avatars {
  readonly #parts: IamEnvironment

  constructor(parts: IamEnvironment) {
    this.#parts = parts
  }

  async mine(context: CallContext): Promise<Answer<Avatar>> {
    const id = requireUser(context)
    return answerOf(await this.#parts.store.get(avatars, id), id)
  }

  async of({ id }: GetUserAvatarRequest): Promise<Answer<Avatar>> {
    const { store } = this.#parts
    foundUser(await store.get(users, id), id)
    return answerOf(await store.get(avatars, id), id)
  }

  async set(request: SetMyAvatarRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const picture = storedPicture(wholePicture(request), context.now)
    const id = requireUser(context)
    const avatar: StoredAvatar = { id, ...picture }
    return mutateIam(this.#parts, context, request, async tx => {
      const user = await lockCaller(tx, context)
      const stored = await tx.lock(avatars, id)
      checkEtag(request.body.etag, stored?.value.etag ?? '')
      if (stored?.value.etag === avatar.etag) return avatarEffect(user, [])
      await countChange(tx, id, context.now)
      if (stored) await tx.update(avatars, id, avatar, stored.version)
      else await tx.insert(avatars, avatar)
      await markUser(tx, user, true)
      return avatarEffect(user, ['avatar'])
    })
  }

  async delete(request: DeleteMyAvatarRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const id = requireUser(context)
    return mutateIam(this.#parts, context, request, async tx => {
      const user = await lockCaller(tx, context)
      const stored = await tx.lock(avatars, id)
      if (stored === undefined) throw noAvatar(id)
      checkEtag(request.etag, stored.value.etag)
      await tx.delete(avatars, id, stored.version)
      await markUser(tx, user, false)
      return avatarEffect(user, ['avatar'])
    })
  }
}

function answerOf(stored: Stored<StoredAvatar> | undefined, user: string): Avatar {
  if (stored === undefined) throw noAvatar(user)
  const { id: _user, ...avatar } = stored.value
  return avatar
}

const noAvatar = (user: string): ApiError =>
  avatarNotFound('the user has no picture', { resource: { type: 'iam.users', name: user } })

const avatarEffect = ({ value }: Stored<StoredUser>, changed: readonly string[]): Effect<IamArea> => ({
  ...userEffect('UPDATE', value),
  changed,
})

async function markUser(tx: Transaction, user: Stored<StoredUser>, has_avatar: boolean): Promise<void> {
  if (user.value.has_avatar === has_avatar) return
  await tx.update(users, user.id, { ...user.value, has_avatar }, user.version)
}

const rule = rulesOf<SetMyAvatarRequest['body']>()

/** The rules for a picture: both members are required, because a picture is always replaced completely. */
export const avatarForm: readonly FormRule[] = (['content_type', 'data'] as const).map(field =>
  rule([field], body => (body[field] === undefined ? [{ field, description: 'is required' }] : [])),
)

/** Returns the picture in a request, which has both members. The paths of the update mask are checked. */
function wholePicture({ body, update_mask: mask }: SetMyAvatarRequest): Pick<Avatar, 'content_type' | 'data'> {
  const paths = mask === undefined || mask === '' || mask === '*' ? undefined : mask.split(',')
  if (paths && !(paths.includes('content_type') && paths.includes('data'))) {
    throw refusal('UPDATE_MASK_INVALID', 'update_mask', 'must name both content_type and data, or nothing')
  }
  const { content_type, data } = body
  if (content_type === undefined || data === undefined) throw new Error('a rule of the form requires both members')
  return { content_type, data }
}

/** Returns the stored form of a sent picture. Throws the error of the first fault. */
function storedPicture(
  { content_type, data: sent }: Pick<Avatar, 'content_type' | 'data'>,
  now: number,
): Omit<StoredAvatar, 'id'> {
  const bytes = Buffer.from(sent, 'base64')
  if (bytes.length > limits.bytes) {
    throw avatarTooLarge(
      `the picture has ${bytes.length} bytes; at most ${limits.bytes} are allowed`,
      at('data', 'is too large'),
    )
  }
  const picture = pictureOf(bytes, content_type)
  if (picture === undefined) {
    const fault = `is not a complete ${content_type}`
    throw avatarTypeMismatch(`the data ${fault}`, at('data', fault))
  }
  const { data, height, width } = picture
  if (Math.min(width, height) < limits.minSide || Math.max(width, height) > limits.maxSide) {
    const fault = `has ${width} by ${height} pixels; a side must have ${limits.minSide} to ${limits.maxSide}`
    throw avatarDimensions(`the picture ${fault}`, at('data', fault))
  }
  const sha256 = createHash('sha256').update(data).digest('hex')
  const updated = formatMillis(now)
  return {
    content_type,
    data: data.toString('base64'),
    size_bytes: data.length,
    width,
    height,
    sha256,
    etag: sha256.slice(0, 16),
    updated,
  }
}

const at = (field: string, description: string) => ({ badRequest: [{ field, description }] })

/** Counts a change of the picture. Throws RATE_LIMITED after six changes within an hour. */
async function countChange(tx: Transaction, id: string, now: number): Promise<void> {
  const stored = await tx.lock(avatarChanges, id)
  const times = (stored?.value.times ?? []).filter(time => Date.parse(time) > now - limits.withinMs)
  const [oldest] = times
  if (oldest !== undefined && times.length >= limits.changes) {
    const retryAfterSeconds = Math.max(1, Math.ceil((Date.parse(oldest) + limits.withinMs - now) / 1000))
    throw rateLimited(`a picture can be changed ${limits.changes} times within an hour`, { retryAfterSeconds })
  }
  const next = { id, times: [...times, formatMillis(now)] }
  if (stored) await tx.update(avatarChanges, id, next, stored.version)
  else await tx.insert(avatarChanges, next)
}
