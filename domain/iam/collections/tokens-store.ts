import { tokensList } from '../../../output/iam/filters.ts'
import type { Token, TokenStatus } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'
import { timeField } from '../values/time-filters.ts'
import { keptMs } from '../values/token-lives.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * A stored session or token family. The row has more members than a response may contain, so `tokenAnswer` picks the
 * public members. The row has no status: `statusAt` computes the status from the times.
 */
export interface StoredToken extends Readonly<Omit<Token, 'status' | 'current'>> {
  /** The home scope of the principal. */
  readonly home_type: Scope['type']
  readonly home_id: string
  /** The network of `last_refresh_ip`, as `networkOf` returns it. */
  readonly network: string
  /** The id of the key that signs the assertions of a token family; empty for sessions. */
  readonly key_id: string
  /** The time until which the row is kept after the end of the token. */
  readonly keep_until: string
  /** The digests of the refresh tokens; absent for token families and for revoked sessions. */
  readonly refresh?: StoredRefresh
}

/** The digests of a session's refresh tokens. No refresh token can be computed from these digests. */
export interface StoredRefresh {
  /** The SHA-256 of the current secret, in hex. */
  readonly hash: string
  /**
   * The SHA-256 of the previous secret. The current secret can be derived again from the previous secret and the salt.
   */
  readonly previous?: { readonly hash: string; readonly salt: string; readonly time: string }
}

export const revokeTimeField = timeField('revoke_time')
export const expireTimeField = timeField('expire_time')
export const idleExpireTimeField = timeField('idle_expire_time')
export const createdField = timeField('created')
export const lastRefreshTimeField = timeField('last_refresh_time')

export const tokens: Collection<StoredToken> = {
  name: 'iam_sessions',
  id: 'id',
  list: { ...tokensList, fields: tokensList.fields.filter(({ name }) => name !== 'status') },
  columns: {
    home_id: 'STRING',
    network: 'STRING',
    key_id: 'STRING',
    revoke_reason: 'ENUM',
    revoke_time: 'TIMESTAMP',
    idle_expire_time: 'TIMESTAMP',
    keep_until: 'TIMESTAMP',
  },
  indexes: [['principal_id', 'revoke_reason'], ['home_id', 'created'], ['revoke_time'], ['keep_until']],
}

/** Returns the filter for the tokens of a principal that are not revoked; some of these tokens may have expired. */
export const unrevokedOf = (principal: string) => ({ principal_id: principal, revoke_reason: null })

/** Returns the status of a token at `now`, in milliseconds since 1970. */
export function statusAt(
  { expire_time, idle_expire_time, revoke_time }: Pick<Token, 'expire_time' | 'idle_expire_time' | 'revoke_time'>,
  now: number,
): TokenStatus {
  if (revoke_time !== undefined) return 'REVOKED'
  return endOf({ expire_time, idle_expire_time }) > now ? 'ACTIVE' : 'EXPIRED'
}

/** Returns the time until which an unrevoked token is kept. */
export const keptUntil = (times: Parameters<typeof endOf>[0]): string => formatMillis(endOf(times) + keptMs)

const endOf = (times: { readonly expire_time: string; readonly idle_expire_time?: string | undefined }): number =>
  Math.min(Date.parse(times.expire_time), Date.parse(times.idle_expire_time ?? times.expire_time))

/**
 * Returns a token as responses show it at `now`, in milliseconds since 1970. `session` is the id of the caller's
 * session.
 */
export function tokenAnswer(stored: StoredToken, now: number, session: string | undefined): Token {
  const { id, principal_id, principal_kind, kind, created, last_refresh_ip, user_agent, expire_time } = stored
  const { idle_expire_time, last_refresh_time, revoke_reason, revoke_time } = stored
  return {
    id,
    principal_id,
    principal_kind,
    kind,
    status: statusAt(stored, now),
    created,
    ...(last_refresh_time !== undefined && { last_refresh_time }),
    last_refresh_ip,
    user_agent,
    expire_time,
    ...(idle_expire_time !== undefined && { idle_expire_time }),
    ...(revoke_time !== undefined && { revoke_time }),
    ...(revoke_reason !== undefined && { revoke_reason }),
    current: id === session,
  }
}

/**
 * The digest of a used refresh secret. A second use of the secret is refused and ends the session, except for a
 * repetition within 30 seconds while the next secret is unused.
 */
export interface SpentRefreshToken {
  /** The SHA-256 of the secret, in hex. */
  readonly id: string
  readonly token_id: string
  /** The time at which the session ends at the latest. */
  readonly expire_time: string
}

export const spentRefreshTokens: Collection<SpentRefreshToken> = {
  name: 'iam_spent_refresh_tokens',
  id: 'id',
  columns: { expire_time: 'TIMESTAMP' },
  indexes: [['expire_time']],
}
