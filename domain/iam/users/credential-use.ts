import type {
  ActivateUserRequest,
  CompletePasswordResetRequest,
  CredentialPurpose,
  CredentialTokenInfo,
  IamOperation,
  LookupCredentialTokenRequest,
} from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { TokenOpener, type OpenToken } from '../credentials/credential-tokens.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { passwordLength } from '../credentials/password-rules.ts'
import { reuseOf } from '../credentials/stored-passwords.ts'
import { inStatus, userTransitions } from './user-states.ts'
import type { UserGuards } from './user-guards.ts'
import { userEffect, writeUser } from './user-rows.ts'
import { passwords, type StoredUser } from '../collections/users-store.ts'

/** Serves the calls that present a credential token and need no bearer token (iam.md 4.7). */
export class CredentialUse {
  readonly #parts: IamEnvironment
  readonly #opener: TokenOpener

  constructor(parts: IamEnvironment, guards: UserGuards) {
    this.#parts = parts
    this.#opener = new TokenOpener(guards.mayTakeOver)
  }

  async lookup({ body }: LookupCredentialTokenRequest, context: CallContext): Promise<Answer<CredentialTokenInfo>> {
    const { token, user } = await this.#open(body.token, context)
    return {
      purpose: token.value.purpose,
      email: user.value.email,
      display_name: user.value.display_name ?? '',
      expire_time: token.value.expire_time,
      password_min_length: passwordLength.min,
      password_max_length: passwordLength.max,
    }
  }

  async activate(request: ActivateUserRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { display_name } = request.body
    return this.#setPassword(request, context, 'ACTIVATION', async (tx, stored, time) => {
      const named = display_name !== undefined && display_name !== stored.value.display_name
      const user = inStatus(stored.value, userTransitions.activate.to, context.now, { password_update_time: time })
      const next = named ? { ...user, display_name, etag: nextEtag(user.etag) } : user
      await writeUser(tx, stored, next)
      await this.#parts.feed.revise(tx, 'PRINCIPAL', stored.id)
      tx.afterCommit(() => this.#parts.activated?.(stored.id))
      return { ...userEffect(userTransitions.activate.type, next), changed: named ? ['display_name'] : [] }
    })
  }

  async completePasswordReset(
    request: CompletePasswordResetRequest,
    context: CallContext,
  ): Promise<Answer<IamOperation>> {
    return this.#setPassword(request, context, 'PASSWORD_RESET', async (tx, stored, time) => {
      const next = { ...stored.value, password_update_time: time }
      await writeUser(tx, stored, next)
      // A reset by a caller has already ended the sessions; a reset by the host has not, so they end here.
      await this.#parts.sessions.endAll(tx, stored.id, 'PASSWORD_RESET', time)
      return userEffect(userTransitions.completePasswordReset.type, next)
    })
  }

  /**
   * Finds the user of the token, checks and hashes the password, then spends the token and sets the password in one
   * transaction. Returns the operation. A refused password does not spend the token.
   */
  async #setPassword(
    request: ActivateUserRequest | CompletePasswordResetRequest,
    context: CallContext,
    purpose: CredentialPurpose,
    change: (tx: Transaction, user: Stored<StoredUser>, time: string) => Promise<ReturnType<typeof userEffect>>,
  ): Promise<Answer<IamOperation>> {
    const { feed, passwords: hashes } = this.#parts
    const { password, token } = request.body
    const { user } = await this.#open(token, context, purpose)
    const hash = await this.#judged(user, password)
    return mutateIam(this.#parts, concerning(user.id, context), request, async tx => {
      await feed.hold(tx)
      const spent = await this.#opener.spend(tx, token, context.now, purpose)
      const time = formatMillis(context.now)
      await hashes.store(tx, spent.user.id, hash)
      return change(tx, spent.user, time)
    })
  }

  /** Returns the hash of a password. Throws the fault of a password that is weak or was used before. */
  async #judged({ id, value }: Stored<StoredUser>, password: string): Promise<string> {
    const { passwords: hashes, store } = this.#parts
    const field = 'password'
    const fault =
      (await hashes.weakness(password, value.email, field)) ??
      (await reuseOf(hashes, (await store.get(passwords, id))?.value, password, field))
    if (fault) throw fault
    return hashes.hash(password)
  }

  /** Returns the token and its user. A wrong token counts as a failed attempt of the caller's network. */
  async #open(words: string, context: CallContext, purpose?: CredentialPurpose): Promise<OpenToken> {
    const attempt = await this.#parts.throttle.credentialToken(context)
    const opened = await this.#opener.open(this.#parts.store, words, context.now, purpose)
    await attempt.succeed()
    return opened
  }
}

/**
 * Returns the context with the user of the token as the caller. Public calls store no Idempotency-Key (conventions §5,
 * §6).
 */
const concerning = (user: string, context: CallContext): CallContext => ({
  ...context,
  principal: { id: user, kind: 'user' },
  idempotencyKey: undefined,
})
