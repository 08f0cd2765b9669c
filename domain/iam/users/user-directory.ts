import type { IamArea } from '../../../output/iam/area.ts'
import type {
  GetUserRequest,
  IamOperation,
  ListUsersRequest,
  UpdateUserRequest,
  User,
} from '../../../output/iam/types.ts'
import { userFields } from '../../../output/iam/validators.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { applyUpdate, checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer, JsonText } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { seenBy } from '../../ports/access.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { withMembers } from '../../resources/json-text.ts'
import { voidTokens } from '../credentials/credential-tokens.ts'
import { nextEtag } from '../../resources/etag.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { settableOf } from './profile-fields.ts'
import type { UserGuards } from './user-guards.ts'
import { foundUser, userEffect, writeUser } from './user-rows.ts'
import { users, type StoredUser } from '../collections/users-store.ts'

/** Serves the calls of administrators for reading and changing users. */
export class UserDirectory {
  readonly #parts: IamEnvironment
  readonly #guards: UserGuards

  constructor(parts: IamEnvironment, guards: UserGuards) {
    this.#parts = parts
    this.#guards = guards
  }

  async list(_request: ListUsersRequest, context: ListContext): Promise<Page<User>> {
    const { access, store, throttle } = this.#parts
    const visible = await access.visible(context, 'iam.users.list')
    const page = await store.page(users, context.query, seenBy(visible, 'organisation_id'), { members: ['email'] })
    const emails = page.items.map(({ members: [email] }) => email)
    const waits = await throttle.waits(emails, context.now)
    const items = page.items.map(({ members: [email], text }) => withWait(text, waits.get(email)))
    return { ...page, items }
  }

  async get({ id }: GetUserRequest, { now }: CallContext): Promise<Answer<User>> {
    const { store, throttle } = this.#parts
    const { text, value } = foundUser(await store.get(users, id), id)
    return withWait(text, (await throttle.waits([value.email], now)).get(value.email))
  }

  async update(request: UpdateUserRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { body, id, update_mask } = request
    return mutateIam(this.#parts, context, request, async tx => {
      // The feed is locked before the user is read, so that the comparison of addresses uses a row that cannot change.
      await this.#parts.feed.hold(tx)
      const stored = foundUser(await tx.lock(users, id), id)
      const settable = settableOf(body, stored.value.email)
      const { changed, value } = applyUpdate(userFields, stored.value, settable, update_mask)
      checkEtag(body.etag, stored.value.etag)
      const next = { ...value, etag: nextEtag(stored.value.etag), updated: formatMillis(context.now) }
      if (changed.includes('email')) await this.#readdress(tx, stored, next, context)
      else if (changed.length > 0) await writeUser(tx, stored, next)
      return { ...userEffect('UPDATE', value), changed } satisfies Effect<IamArea>
    })
  }

  /**
   * Applies a change of the address. Voids the tokens that were sent to the old address: otherwise their recipient
   * could take over the account.
   */
  async #readdress(tx: Transaction, stored: Stored<StoredUser>, user: StoredUser, context: CallContext): Promise<void> {
    await this.#guards.requireTakeOver(tx, context, stored.value, 'OTHER')
    const { invite_expire_time: _void, ...next } = user
    await writeUser(tx, stored, next)
    await voidTokens(tx, stored.id)
    await this.#parts.feed.revise(tx, 'PRINCIPAL', stored.id)
  }
}

const withWait = (text: JsonText<StoredUser>, throttled_until: string | undefined): JsonText<User> =>
  throttled_until === undefined ? text : withMembers(text, { throttled_until })
