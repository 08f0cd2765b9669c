import { authenticate, refreshToken, revokeToken } from '../output/iam/routes.ts'
import type { TokenRefreshInput } from '../output/iam/types.ts'
import { ApiError } from '../runtime/errors.ts'
import { createBudget, persist, realTiming } from '../runtime/retry.ts'
import { send } from '../runtime/transport.ts'
import type { Transport } from '../runtime/transport.ts'
import { signAssertion } from './assertion.ts'
import type { AssertionKey } from './assertion.ts'
import { clockOf, startSession, tokensOf } from './session.ts'
import type { Session, SessionOptions, SessionTokens } from './session.ts'

/** The credentials of a user. */
export interface Credentials {
  readonly email: string
  readonly password: string
}

/**
 * The server returns the same successor for a spent refresh token for 30 seconds (iam.md 4.7). Within that time a
 * request can be repeated after a lost response.
 */
const retryMs = 25_000
const retries = 3

/**
 * Signs a user in over a transport. Only its address, `fetch` and headers are used. Rejects with `ApiError`, such as
 * INVALID_CREDENTIALS. Sends one request without retry, because the server counts attempts.
 *
 * `createTransport({ baseUrl, authorize: bearer(await signIn({ baseUrl }, credentials)) })`
 */
export async function signIn(
  transport: Transport,
  { email, password }: Credentials,
  options: SessionOptions = {},
): Promise<Session> {
  const askedMs = clockOf(transport)()
  const answer = await send(anonymous(transport), authenticate, { body: { email, password } })
  const tokens = tokensOf(answer, askedMs)
  await options.onChange?.(tokens)
  return resume(transport, tokens, options)
}

/** Continues an earlier session of a user from its tokens. Sends no request until the access token needs renewal. */
export function resume(transport: Transport, tokens: SessionTokens, options: SessionOptions = {}): Session {
  const next = ({ refresh_token }: SessionTokens): Promise<SessionTokens> => {
    if (refresh_token === undefined) return Promise.reject(notRenewable())
    return renewed(transport, async () => ({ refresh_token }))
  }
  return startSession(tokens, { next, end: ending(transport), now: clockOf(transport) }, options)
}

/** The options of a service account's session. */
export interface AssertionOptions extends SessionOptions {
  /** The server's own address of tokens:refresh; if absent, the address as the transport calls it. */
  readonly audience?: string
}

/**
 * Signs a service account in. The session gets new tokens with new assertions for as long as the key is registered.
 * Rejects with the server's `ApiError`.
 */
export async function signInByAssertion(
  transport: Transport,
  key: AssertionKey,
  options: AssertionOptions = {},
): Promise<Session> {
  const now = clockOf(transport)
  const { audience = `${transport.baseUrl.replace(/\/$/, '')}/iam/v1/tokens:refresh` } = options
  const next = (): Promise<SessionTokens> =>
    renewed(transport, async () => ({ assertion: await signAssertion(key, audience, now()) }))
  const tokens = await next()
  await options.onChange?.(tokens)
  return startSession(tokens, { next, end: ending(transport), now }, options)
}

/** Requests new tokens with retries. Each attempt builds a new proof, because an assertion may be used only once. */
async function renewed(transport: Transport, proof: () => Promise<TokenRefreshInput>): Promise<SessionTokens> {
  const timing = { ...realTiming, ...transport.timing }
  const ask = async (): Promise<SessionTokens> => {
    const askedMs = timing.now()
    return tokensOf(await send(anonymous(transport), refreshToken, { body: await proof() }), askedMs)
  }
  const { signal } = new AbortController()
  return persist(ask, { retries, deadline: timing.now() + retryMs, signal, budget: createBudget(), timing })
}

/**
 * Returns the function that revokes tokens. A refresh token authorizes its own revocation; without a refresh token, the
 * access token is also sent as authorization.
 */
const ending =
  (transport: Transport) =>
  async ({ access_token, refresh_token }: SessionTokens): Promise<void> => {
    const headers = refresh_token === undefined ? { authorization: `Bearer ${access_token}` } : {}
    await send(anonymous(transport), revokeToken, { body: { token: refresh_token ?? access_token } }, { headers })
  }

/** Drops the authorization of a transport: it may be the session that this request renews. */
function anonymous({ policy: _policy, ...rest }: Transport): Transport {
  return rest
}

const notRenewable = (): ApiError =>
  new ApiError(
    { reason: 'SESSION_ENDED', rpc: 'UNAUTHENTICATED' },
    'there is no refresh token to go on with; sign in again',
  )
