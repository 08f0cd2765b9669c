import type { User } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import type { AccessTokens } from './access-tokens.ts'
import { endToken, endTokensOf } from './end-token.ts'
import type { Feed } from '../interfaces/feed.ts'
import { homeOf } from '../values/home-scope.ts'
import { networkOf } from '../../addresses/networks.ts'
import { principals } from '../collections/principals-store.ts'
import { digestOf, newSecret } from './refresh-secrets.ts'
import type { Sessions } from '../interfaces/sessions.ts'
import { sessionAnswer } from './token-response.ts'
import { idleMs, maxSessions, sessionMs } from '../values/token-lives.ts'
import { keptUntil, statusAt, tokens, unrevokedOf, type StoredToken } from '../collections/tokens-store.ts'
import { platform } from '../../ports/access.ts'

/** The parts of sessions. */
export interface SessionServices {
  readonly clock: Clock
  readonly feed: Feed
  readonly accessTokens: AccessTokens
}

/** Returns the functions for sessions that are kept in the store. */
export const sessionsOf = ({ accessTokens, clock, feed }: SessionServices): Required<Sessions> => ({
  ready: () => accessTokens.ready(),

  async isFull(reader, user, now) {
    return (await liveOf(reader, user.id, now)).length >= maxSessions
  },

  async open(tx, user, context) {
    await endOldest(tx, feed, user.id, context.now)
    const secret = newSecret()
    const principal = (await tx.get(principals, user.id))?.value
    const session = newSession(clock.newId(), user, principal ? homeOf(principal) : platform, secret, context)
    await tx.insert(tokens, session)
    return sessionAnswer(accessTokens, session, secret, context.now)
  },

  endAll: (tx, principal, reason, time, except) => endTokensOf(tx, feed, principal, { reason, time }, except),
})

/** Revokes the oldest sessions, so that a new session stays within the limit. */
async function endOldest(tx: Transaction, feed: Feed, user: string, now: number): Promise<void> {
  const live = await liveOf(tx, user, now)
  const surplus = live.slice(0, Math.max(0, live.length + 1 - maxSessions))
  if (surplus.length === 0) return
  // The caller expected no revocation and did not lock the feed before the user; if this late lock deadlocks, the
  // transaction is retried.
  await feed.hold(tx)
  for (const { id } of surplus) await endToken(tx, feed, id, { reason: 'SESSION_LIMIT', time: formatMillis(now) })
}

/** Returns the live sessions of a user, oldest first, because ids ascend with time. */
async function liveOf(reader: Reader, user: string, now: number): Promise<readonly Stored<StoredToken>[]> {
  const live: Stored<StoredToken>[] = []
  for await (const token of reader.each(tokens, unrevokedOf(user))) {
    if (statusAt(token.value, now) === 'ACTIVE') live.push(token)
  }
  return live
}

function newSession(
  id: string,
  user: Pick<User, 'id'>,
  home: { readonly type: StoredToken['home_type']; readonly id: string },
  secret: string,
  { clientAddress, now, userAgent = '' }: CallContext,
): StoredToken {
  const times = { expire_time: formatMillis(now + sessionMs), idle_expire_time: formatMillis(now + idleMs) }
  return {
    id,
    principal_id: user.id,
    principal_kind: 'USER',
    kind: 'SESSION',
    created: formatMillis(now),
    last_refresh_ip: clientAddress,
    user_agent: shortAgent(userAgent),
    ...times,
    home_type: home.type,
    home_id: home.id,
    network: networkOf(clientAddress),
    key_id: '',
    keep_until: keptUntil(times),
    refresh: { hash: digestOf(secret) },
  }
}

/** Returns the first 256 characters of a User-Agent header, as well-formed text. */
export const shortAgent = (agent: string): string =>
  Array.from(agent.slice(0, 512).toWellFormed()).slice(0, 256).join('')
