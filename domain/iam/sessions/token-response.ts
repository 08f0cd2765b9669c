import type { TokenResponse } from '../../../output/iam/types.ts'
import type { AccessTokens } from './access-tokens.ts'
import { formatRefreshToken } from './refresh-secrets.ts'
import { accessTokenMs } from '../values/token-lives.ts'
import type { StoredToken } from '../collections/tokens-store.ts'

/** Returns the response with a new access token of a token family. `now` is in milliseconds since 1970. */
export function familyAnswer(accessTokens: AccessTokens, token: StoredToken, now: number): TokenResponse {
  const { id, kind, principal_id } = token
  const subject = { principalId: principal_id, kind: kind === 'SESSION' ? 'USER' : kind, sessionId: id } as const
  return {
    access_token: accessTokens.mint(subject, now),
    token_type: 'Bearer',
    expires_in: accessTokenMs / 1000,
    token_id: id,
    principal_id,
  }
}

/** Returns the response with the tokens of a session; `secret` is the secret of the current refresh token. */
export function sessionAnswer(
  accessTokens: AccessTokens,
  session: StoredToken,
  secret: string,
  now: number,
): TokenResponse {
  const left = Math.max(0, Date.parse(session.expire_time) - now)
  return {
    ...familyAnswer(accessTokens, session, now),
    refresh_token: formatRefreshToken({ tokenId: session.id, secret }),
    refresh_expires_in: Math.floor(left / 1000),
  }
}
