import { refreshTokenInvalid } from '../../../output/iam/errors.ts'
import type { TokenResponse } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { calledBy, type Activity } from '../../ports/audit.ts'
import { Conflict, type Reader, type Transaction } from '../../ports/store.ts'
import type { AccessTokens } from './access-tokens.ts'
import { endToken } from './end-token.ts'
import { networkOf } from '../../addresses/networks.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { principals } from '../collections/principals-store.ts'
import {
  digestOf,
  isSameDigest,
  newSalt,
  parseRefreshToken,
  successorOf,
  type RefreshToken,
} from './refresh-secrets.ts'
import { graceMs, idleMs } from '../values/token-lives.ts'
import { sessionAnswer } from './token-response.ts'
import { keptUntil, spentRefreshTokens, statusAt, tokens, type StoredToken } from '../collections/tokens-store.ts'

type RefreshServices = Pick<IamEnvironment, 'store' | 'feed' | 'audit'> & { readonly accessTokens: AccessTokens }

/** The result of looking up a refresh token. */
type Found =
  | { readonly kind: 'live'; readonly session: StoredToken; readonly version: number }
  /**
   * The token was used within the last 30 seconds, and the next token is unused: the response was lost, or two calls
   * were concurrent.
   */
  | { readonly kind: 'repeated'; readonly session: StoredToken; readonly salt: string }
  /** The token was used earlier: the token or the session may be stolen. */
  | { readonly kind: 'spent'; readonly session: StoredToken }
  /** The token never existed, or its session has ended. */
  | { readonly kind: 'unknown'; readonly session: undefined }

const unknown = { kind: 'unknown', session: undefined } as const

/** The result of a call with a refresh token. */
interface Outcome {
  /** The updated session and its current secret; undefined for a refused call. */
  readonly next?: { readonly session: StoredToken; readonly secret: string }
  /** The session to end because a spent token was used again. */
  readonly reused?: StoredToken
}

/**
 * Spends a refresh token, and returns an access token and the next refresh token (iam.md 4.7). A repeated call within
 * 30 seconds returns the same next token while the next token is unused. Throws REFRESH_TOKEN_INVALID; an older spent
 * token also ends the session.
 */
export async function refreshSession(
  parts: RefreshServices,
  text: string,
  context: CallContext,
): Promise<TokenResponse> {
  const { accessTokens, store } = parts
  const token = parseRefreshToken(text)
  if (token === undefined) throw invalid()
  await accessTokens.ready()
  const { next, reused } = await store.tx(tx => take(tx, token, context))
  if (next) return sessionAnswer(accessTokens, next.session, next.secret, context.now)
  if (reused) await endReused(parts, reused, context)
  throw invalid()
}

/** Returns the state of a refresh token at `now`, in milliseconds since 1970. */
export async function findSession(reader: Reader, text: string, now: number): Promise<Found> {
  const token = parseRefreshToken(text)
  return token === undefined ? unknown : find(reader, token, now)
}

async function find(reader: Reader, { secret, tokenId }: RefreshToken, now: number): Promise<Found> {
  const stored = await reader.get(tokens, tokenId)
  const refresh = stored?.value.refresh
  if (!stored || !refresh || statusAt(stored.value, now) !== 'ACTIVE') return unknown
  const { value: session, version } = stored
  const digest = digestOf(secret)
  if (isSameDigest(digest, refresh.hash)) return { kind: 'live', session, version }
  const { previous } = refresh
  const isPrevious = previous !== undefined && isSameDigest(digest, previous.hash)
  // A time in the future is refused too: otherwise turning the clock back would extend the 30 seconds.
  if (isPrevious && Math.abs(now - Date.parse(previous.time)) <= graceMs)
    return { kind: 'repeated', session, salt: previous.salt }
  const isSpent = (await reader.get(spentRefreshTokens, digest))?.value.token_id === tokenId
  return isSpent ? { kind: 'spent', session } : unknown
}

async function take(tx: Transaction, token: RefreshToken, context: CallContext): Promise<Outcome> {
  const found = await find(tx, token, context.now)
  if (found.kind === 'unknown') return {}
  if (found.kind === 'spent') return { reused: found.session }
  if ((await tx.get(principals, found.session.principal_id))?.value.status !== 'ACTIVE') return {}
  if (found.kind === 'live') return { next: await rotate(tx, found, token.secret, context) }
  return { next: { session: found.session, secret: successorOf(token.secret, found.salt) } }
}

/**
 * Replaces the secret by one conditional update, and returns the changed session and the next secret. Of two concurrent
 * calls, one replaces the secret, and the other is retried and finds the replacement.
 */
async function rotate(
  tx: Transaction,
  { session: value, version }: { readonly session: StoredToken; readonly version: number },
  secret: string,
  { clientAddress, now }: CallContext,
): Promise<{ readonly session: StoredToken; readonly secret: string }> {
  const { id } = value
  const time = formatMillis(now)
  const previous = { hash: digestOf(secret), salt: newSalt(), time }
  const next = successorOf(secret, previous.salt)
  const times = { expire_time: value.expire_time, idle_expire_time: formatMillis(now + idleMs) }
  const session: StoredToken = {
    ...value,
    ...times,
    last_refresh_time: time,
    last_refresh_ip: clientAddress,
    network: networkOf(clientAddress),
    keep_until: keptUntil(times),
    refresh: { hash: digestOf(next), previous },
  }
  if (!(await tx.tryUpdate(tokens, id, session, version))) throw new Conflict('the session changed meanwhile')
  await tx.insert(spentRefreshTokens, { id: previous.hash, token_id: id, expire_time: value.expire_time })
  return { session, secret: next }
}

/** Ends a session after the use of a spent token, and records the activity. */
async function endReused(
  { audit, feed, store }: Pick<RefreshServices, 'audit' | 'feed' | 'store'>,
  session: StoredToken,
  context: CallContext,
): Promise<void> {
  const revocation = { reason: 'REUSE_DETECTED', time: formatMillis(context.now) } as const
  const revision = await store.tx(async tx => {
    await feed.hold(tx)
    const ended = await endToken(tx, feed, session.id, revocation)
    if (ended !== undefined) await audit.recordActivity(tx, reuse(session, context))
    return ended
  })
  if (revision !== undefined) await feed.settled(revision)
}

/** Returns the activity that records the use of a spent token. */
export const reuse = (session: StoredToken, context: CallContext): Activity => ({
  ...calledBy(context),
  principalId: session.principal_id,
  principalKind: 'USER',
  category: 'AUTHENTICATION',
  area: 'iam',
  resourceType: 'iam.tokens',
  resourceId: session.id,
  scope: { type: session.home_type, id: session.home_id },
  outcome: 'DENIED',
  rpc: 'UNAUTHENTICATED',
  reason: 'REUSE_DETECTED',
  changedFields: [],
  operationId: '',
})

const invalid = () => refreshTokenInvalid('the refresh token is not valid; sign in again')
