import type { IamArea } from '../../../output/iam/area.ts'
import { cannotTargetSelf } from '../../../output/iam/errors.ts'
import type {
  DeactivateUserRequest,
  IamCredentialOperation,
  IamOperation,
  ReactivateUserRequest,
  ParsedRegenerateActivationRequest,
  ParsedResetUserPasswordRequest,
} from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Scope } from '../../ports/scope.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { mutateWithCredential } from '../credentials/credential-calls.ts'
import { voidTokens } from '../credentials/credential-tokens.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import { deniedFirst } from '../grants/denied-first.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { homeOf } from '../values/home-scope.ts'
import { inStatus, requireStatus, userTransitions, type UserVerb } from './user-states.ts'
import type { UserGuards } from './user-guards.ts'
import { foundUser, userEffect, writeUser } from './user-rows.ts'
import { passwords, users, type StoredUser } from '../collections/users-store.ts'

/** Serves the calls of administrators that change the status or the password of a user (iam.md 2). */
export class UserLife {
  readonly #parts: IamEnvironment
  readonly #guards: UserGuards

  constructor(parts: IamEnvironment, guards: UserGuards) {
    this.#parts = parts
    this.#guards = guards
  }

  async deactivate(request: DeactivateUserRequest, context: CallContext): Promise<Answer<IamOperation>> {
    let at: Scope | undefined
    const change = async (tx: Transaction): Promise<Effect<IamArea>> => {
      const stored = await this.#called(tx, 'deactivate', request)
      at = homeOf({ ...stored.value, workspace_id: '' })
      requireOther(stored, context, 'deactivate')
      await this.#guards.requireTakeOver(tx, context, stored.value, 'DEACTIVATE')
      await this.#guards.requireOtherAdministrator(tx, context, stored.value)
      await deactivate(tx, this.#parts, stored, context.now)
      return userEffect('DEACTIVATE', stored.value)
    }
    const run = () => mutateIam(this.#parts, context, request, change)
    return deniedFirst(this.#parts, context, () => at, run)
  }

  async reactivate(request: ReactivateUserRequest, context: CallContext): Promise<Answer<IamOperation>> {
    return mutateIam(this.#parts, context, request, async tx => {
      const stored = await this.#called(tx, 'reactivate', request)
      await this.#guards.requireTakeOver(tx, context, stored.value, 'OTHER')
      await reactivate(tx, this.#parts, stored, { by: context.principal?.id ?? '', now: context.now })
      return userEffect('REACTIVATE', stored.value)
    })
  }

  async regenerateActivation(
    request: ParsedRegenerateActivationRequest,
    context: CallContext,
  ): Promise<Answer<IamCredentialOperation>> {
    const wanted = { purpose: 'ACTIVATION', ...request.body } as const
    return mutateWithCredential(this.#parts, context, request, wanted, async (tx, { mintFor, ttlMs }) => {
      const stored = await this.#called(tx, 'regenerateActivation', request)
      await this.#guards.requireTakeOver(tx, context, stored.value, 'OTHER')
      await mintFor(tx, stored.value)
      await tx.update(users, stored.id, invited(stored.value, context.now + ttlMs), stored.version)
      return userEffect('REGENERATE_ACTIVATION', stored.value)
    })
  }

  async resetPassword(
    request: ParsedResetUserPasswordRequest,
    context: CallContext,
  ): Promise<Answer<IamCredentialOperation>> {
    const wanted = { purpose: 'PASSWORD_RESET', ...request.body } as const
    return mutateWithCredential(this.#parts, context, request, wanted, async (tx, { mintFor }) => {
      const stored = await this.#called(tx, 'resetPassword', request)
      requireOther(stored, context, 'reset the password of')
      await this.#guards.requireTakeOver(tx, context, stored.value, 'OTHER')
      const time = formatMillis(context.now)
      await mintFor(tx, stored.value)
      await this.#parts.passwords.store(tx, stored.id, '')
      await this.#parts.sessions.endAll(tx, stored.id, 'PASSWORD_RESET', time)
      return userEffect('RESET_PASSWORD', stored.value)
    })
  }

  /**
   * Locks and returns the user in the path. Throws unless the etag of the request matches and the status of the user
   * allows the call.
   */
  async #called(
    tx: Transaction,
    verb: UserVerb,
    { body, id }: { readonly id: string; readonly body: { readonly etag?: string } },
  ): Promise<Stored<StoredUser>> {
    await this.#parts.feed.hold(tx)
    const stored = foundUser(await tx.lock(users, id), id)
    checkEtag(body.etag, stored.value.etag)
    requireStatus(verb, stored.value)
    return stored
  }
}

function requireOther({ id }: Stored<StoredUser>, { principal }: CallContext, what: string): void {
  if (principal?.id !== id) return
  throw cannotTargetSelf(`you cannot ${what} yourself; ask another administrator`, {
    resource: { type: 'iam.users', name: id },
    precondition: [{ type: 'CALLER', subject: id, description: 'the caller must be another user' }],
  })
}

const invited = (user: StoredUser, expires: number): StoredUser => ({
  ...user,
  invite_expire_time: formatMillis(expires),
})

/**
 * Deactivates a user that the transaction has locked after the revision, and ends the sessions and credential tokens of
 * the user. Also called for users whose home scope is purged.
 */
export async function deactivate(
  tx: Transaction,
  { feed, sessions }: Pick<IamEnvironment, 'feed' | 'sessions'>,
  stored: Stored<StoredUser>,
  now: number,
): Promise<void> {
  const time = formatMillis(now)
  const { to } = userTransitions.deactivate
  await writeUser(tx, stored, inStatus(stored.value, to, now, { deactivate_time: time }))
  await voidTokens(tx, stored.id)
  await sessions.endAll(tx, stored.id, 'USER_DEACTIVATED', time)
  await feed.revise(tx, 'PRINCIPAL', stored.id)
}

/**
 * Activates a deactivated user that the transaction has locked after the revision, and returns the changed user. A user
 * without a password becomes INVITED by `by`.
 */
export async function reactivate(
  tx: Transaction,
  { feed }: Pick<IamEnvironment, 'feed'>,
  stored: Stored<StoredUser>,
  { by, now }: { readonly by: string; readonly now: number },
): Promise<StoredUser> {
  const hash = (await tx.get(passwords, stored.id))?.value.hash ?? ''
  const next =
    hash === '' ? inStatus(stored.value, 'INVITED', now, { invited_by: by }) : inStatus(stored.value, 'ACTIVE', now)
  await writeUser(tx, stored, next)
  await feed.revise(tx, 'PRINCIPAL', stored.id)
  return next
}
