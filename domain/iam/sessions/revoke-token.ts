import type { IamArea } from '../../../output/iam/area.ts'
import { principalNotFound, tokenMissing, tokenNotFound } from '../../../output/iam/errors.ts'
import type { IamOperation, RevokeReason, RevokeTokenRequest } from '../../../output/iam/types.ts'
import type { CallContext, Principal } from '../../../runtime/context.ts'
import { ApiError, atField } from '../../../runtime/errors.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import { refusalOf } from '../../resources/refusal.ts'
import type { AccessTokens } from './access-tokens.ts'
import { endToken, endTokensOf } from './end-token.ts'
import { homeOf } from '../values/home-scope.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { principals } from '../collections/principals-store.ts'
import { findSession, reuse } from './refresh.ts'
import { statusAt, tokens, type StoredToken } from '../collections/tokens-store.ts'
import { platform } from '../../ports/access.ts'
import type { Scope } from '../../ports/scope.ts'

type RevocationServices = IamEnvironment & { readonly accessTokens: AccessTokens }

type Operation = Promise<JsonText<IamOperation>>

/**
 * Revokes the token in the request, for any caller, and returns the operation. An unknown or ended token counts as
 * revoked: its operation is DONE and is not stored, and AUTHENTICATION_THROTTLED is thrown after too many of them from
 * one network (conventions §5).
 */
export async function revokePossessed(
  parts: RevocationServices,
  token: string,
  request: RevokeTokenRequest,
  context: CallContext,
): Operation {
  const { audit, feed } = parts
  const { session, isReused } = await possessed(parts, token, context)
  const isLive = session !== undefined && statusAt(session, context.now) === 'ACTIVE'
  // A retry with the key of a signed-in caller finds the token ended, and must find the recorded operation.
  const mayBeRetry = context.principal !== undefined && context.idempotencyKey !== undefined
  if (!isLive && !mayBeRetry) return nothingToRevoke(parts, context)
  const reason: RevokeReason = isReused ? 'REUSE_DETECTED' : 'LOGOUT'
  const scope = session ? await standing(parts, session) : platform
  try {
    return await mutateIam(parts, callerOf(session, context), request, async tx => {
      if (!isLive) throw new NothingToRevoke()
      await feed.hold(tx)
      const ended = await endToken(tx, feed, session.id, { reason, time: formatMillis(context.now) })
      if (isReused && ended !== undefined) await audit.recordActivity(tx, reuse(session, context))
      return tokenEffect(session.id, scope)
    })
  } catch (error) {
    if (error instanceof NothingToRevoke) return nothingToRevoke(parts, context)
    throw error
  }
}

/** Ends the transaction of a call that has no recorded operation and no live token. */
class NothingToRevoke extends Error {}

/** Returns the operation of a call whose token is unknown or has ended, after the throttle has admitted the call. */
async function nothingToRevoke(parts: RevocationServices, context: CallContext): Operation {
  parts.unknownToken?.()
  await parts.throttle.credentialToken(context)
  return parts.operations.unrecorded(context, tokenEffect('', platform))
}

/**
 * Revokes a session or token family by its id, and returns the operation. Throws TOKEN_NOT_FOUND for callers with the
 * permission; other callers do not learn whether the token exists.
 */
export async function revokeById(
  parts: RevocationServices,
  id: string,
  request: RevokeTokenRequest,
  context: CallContext,
): Operation {
  const { feed, store } = parts
  const caller = signedIn(context)
  const token = (await store.get(tokens, id))?.value
  const isOwn = token?.principal_id === caller.id
  const scope = token ? await standing(parts, token) : platform
  const refusal = isOwn ? undefined : await refused(parts, context, scope)
  return mutateIam(parts, context, request, async tx => {
    if (refusal) throw refusal
    if (!token) throw tokenNotFound(`token ${id} does not exist`, { resource: { type: 'iam.tokens', name: id } })
    await feed.hold(tx)
    await endToken(tx, feed, id, { reason: reasonOf(isOwn), time: formatMillis(context.now) })
    return tokenEffect(id, scope)
  })
}

/**
 * Revokes all sessions or token families of a principal, and returns the operation. Throws PRINCIPAL_NOT_FOUND for
 * callers with the permission.
 */
export async function revokeAllOf(
  parts: RevocationServices,
  id: string,
  request: RevokeTokenRequest,
  context: CallContext,
): Operation {
  const { feed, store } = parts
  const isOwn = signedIn(context).id === id
  const principal = (await store.get(principals, id))?.value
  const scope = principal ? await standingScope(parts, homeOf(principal)) : platform
  const refusal = isOwn ? undefined : await refused(parts, context, scope)
  return mutateIam(parts, context, request, async tx => {
    if (refusal) throw refusal
    if (!principal) {
      const resource = { type: 'iam.principals', name: id }
      throw atField(principalNotFound(`principal ${id} does not exist`, { resource }), 'principal_id')
    }
    await feed.hold(tx)
    await endTokensOf(tx, feed, id, { reason: reasonOf(isOwn), time: formatMillis(context.now) })
    return { type: 'REVOKE', resourceType: 'iam.principals', resourceId: id, scope }
  })
}

/**
 * Returns the error for a caller without the permission; undefined for a caller with the permission. The permission is
 * checked again, because the server admits a call with a used Idempotency-Key without this check. The path does not
 * name the token, so the key does not prove the permission to revoke this token.
 */
const refused = ({ access }: RevocationServices, context: CallContext, scope: Scope): Promise<ApiError | undefined> =>
  refusalOf(access.require(context, 'iam.tokens.revoke', scope, platform))

const reasonOf = (isOwn: boolean): RevokeReason => (isOwn ? 'LOGOUT' : 'ADMIN')

const tokenEffect = (resourceId: string, scope: Scope): Effect<IamArea> => ({
  type: 'REVOKE',
  resourceType: 'iam.tokens',
  resourceId,
  scope,
})

/**
 * Returns the caller; throws if the call has no bearer token. The server admits every caller, because the token in the
 * request suffices, but a call that names a token or a principal by id needs a bearer token.
 */
function signedIn({ principal }: CallContext): Principal {
  if (principal) return principal
  throw tokenMissing('this call needs a token: send "Authorization: Bearer <token>", or the token to revoke')
}

/** The session of a token that the caller sent; undefined for an unknown token. */
interface Possessed {
  readonly session: StoredToken | undefined
  /** Whether the sent token is a spent refresh token. */
  readonly isReused: boolean
}

async function possessed(parts: RevocationServices, token: string, { now }: CallContext): Promise<Possessed> {
  const { accessTokens, store } = parts
  if (token.startsWith('rt1.')) {
    const { kind, session } = await findSession(store, token, now)
    return { session, isReused: kind === 'spent' }
  }
  try {
    const { sessionId } = await accessTokens.verify(token, now)
    return { session: (await store.get(tokens, sessionId))?.value, isReused: false }
  } catch (error) {
    if (error instanceof ApiError && error.rpc === 'UNAUTHENTICATED') return { session: undefined, isReused: false }
    throw error
  }
}

/**
 * Returns the context with the principal of the token as the caller, if the call has no bearer token (conventions §5);
 * then no Idempotency-Key is stored (conventions §6).
 */
function callerOf(session: StoredToken | undefined, context: CallContext): CallContext {
  if (context.principal || !session) return context
  const kind = session.kind === 'SESSION' ? 'user' : 'service_account'
  return { ...context, principal: { id: session.principal_id, kind }, idempotencyKey: undefined }
}

const standing = (parts: RevocationServices, { home_id, home_type }: StoredToken): Promise<Scope> =>
  standingScope(parts, { type: home_type, id: home_id })

/** Returns the home scope; for a deleted home scope, the platform (iam.md 4.10). */
async function standingScope({ store, taxonomy }: RevocationServices, home: Scope): Promise<Scope> {
  return home.type === 'PLATFORM' || (await taxonomy.chain(store, home)) ? home : platform
}
