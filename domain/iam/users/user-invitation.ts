import type {
  IamCredentialOperation,
  ParsedInvitationGrant,
  ParsedInviteUserRequest,
} from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { checkCondition } from '../conditions/conditions.ts'
import { mutateWithCredential } from '../credentials/credential-calls.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { writePrincipal } from '../collections/principals-store.ts'
import { settableOf } from './profile-fields.ts'
import { requireActiveScope, scopeOfMembers } from '../values/scopes.ts'
import type { UserGuards } from './user-guards.ts'
import { userEffect } from './user-rows.ts'
import { principalOfUser, users, type StoredUser } from '../collections/users-store.ts'
import { homeOf } from '../values/home-scope.ts'

type Invitation = ParsedInviteUserRequest['body']

/** Creates users. A new user chooses the password with a token (iam.md 2). */
export class UserInvitation {
  readonly #parts: IamEnvironment
  readonly #guards: UserGuards

  constructor(parts: IamEnvironment, guards: UserGuards) {
    this.#parts = parts
    this.#guards = guards
  }

  async invite(request: ParsedInviteUserRequest, context: CallContext): Promise<Answer<IamCredentialOperation>> {
    const { body } = request
    for (const [i, { condition }] of grantsOf(body)) checkCondition(condition, `grants[${i}].condition`)
    await this.#requireGranting(body, context)
    const user = newUser(this.#parts.clock.newId(), context.now, body, context.principal?.id ?? '')
    const wanted = { purpose: 'ACTIVATION', ...body } as const
    return mutateWithCredential(this.#parts, context, request, wanted, async (tx, { mintFor, ttlMs }) => {
      await this.#requireActive(tx, body)
      await this.#parts.feed.hold(tx)
      const invited = { ...user, invite_expire_time: formatMillis(context.now + ttlMs) }
      await writePrincipal(tx, principalOfUser(invited))
      const grants = await this.#givable(tx, invited, body, context)
      // The order of errors: forbidden grants, then a taken address, then the limits of grants (conventions §4).
      await tx.insert(users, invited)
      for (const give of grants) await give()
      await mintFor(tx, invited)
      await this.#parts.feed.revise(tx, 'PRINCIPAL', user.id)
      return userEffect('INVITE', invited)
    })
  }

  async #requireGranting({ grants }: Invitation, context: CallContext): Promise<void> {
    for (const grant of grants) await this.#parts.access.require(context, 'iam.bindings.create', scopeOfMembers(grant))
  }

  /** Locks the organisations of all named scopes (shared locks), before the transaction locks any other row. */
  async #requireActive(tx: Transaction, body: Invitation): Promise<void> {
    await requireActiveScope(tx, this.#parts, homeOf(body), 'organisation_id')
    for (const [i, grant] of body.grants.entries()) {
      await requireActiveScope(tx, this.#parts, scopeOfMembers(grant), `grants[${i}].scope_id`)
    }
  }

  /** Checks all roles of an invitation, and returns the functions that grant them. */
  async #givable(
    tx: Transaction,
    { id: principal }: StoredUser,
    body: Invitation,
    context: CallContext,
  ): Promise<readonly (() => Promise<void>)[]> {
    const grants: (() => Promise<void>)[] = []
    for (const [i, grant] of grantsOf(body)) {
      const { condition, expire_time, role_id } = grant
      const [scope, at] = [scopeOfMembers(grant), `grants[${i}].`]
      const asked = { context, principal, role_id, scope, condition, expire_time, at }
      grants.push(await this.#guards.givableRole(tx, asked))
    }
    return grants
  }
}

/** Returns the grants with their positions in the list. */
function grantsOf(body: Invitation): Iterable<readonly [number, ParsedInvitationGrant]> {
  const grants: readonly ParsedInvitationGrant[] = body.grants
  return grants.entries()
}

/** Returns the row of a user that `by` invites; the expiry of the token is set later. */
export function newUser(
  id: string,
  now: number,
  body: Pick<Invitation, 'email' | 'display_name' | 'organisation_id' | 'locale' | 'time_zone' | 'labels'>,
  by: string,
): StoredUser {
  const { display_name, email, labels, locale, organisation_id, time_zone } = { ...body, ...settableOf(body) }
  const time = formatMillis(now)
  return {
    id,
    email,
    display_name,
    organisation_id,
    locale,
    time_zone,
    labels,
    status: 'INVITED',
    has_avatar: false,
    invited_by: by,
    etag: nextEtag(undefined),
    created: time,
    updated: time,
  }
}
