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
 * The time within which a request for new tokens is retried, in milliseconds. For 30 seconds, the server returns the
 * same successor for a spent refresh token (iam.md 4.7), so a retry after a lost response succeeds.
 */
const retryMs = 25_000
const retries = 3

/**
 * Signs a user in over a transport, without the transport's authorization and retries. Rejects with `ApiError`, such as
 * INVALID_CREDENTIALS. Sends a single request, because the server counts attempts.
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

/** Continues an earlier session of a user from its tokens. Sends no request until the access token needs a renewal. */
export function resume(transport: Transport, tokens: SessionTokens, options: SessionOptions = {}): Session {
  const next = ({ refresh_token }: SessionTokens): Promise<SessionTokens> => {
    if (refresh_token === undefined) return Promise.reject(notRenewable())
    return renewed(transport, async () => ({ refresh_token }))
  }
  return startSession(tokens, { next, end: ending(transport), now: clockOf(transport) }, options)
}

/** The options of a service account's session. */
export interface AssertionOptions extends SessionOptions {
  /** The address of tokens:refresh as the server knows the address; if absent, the address that the transport calls. */
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

/**
 * Returns new tokens from the server, and retries failed requests. Each attempt builds a new proof, because an
 * assertion may be used only once.
 */
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
 * Returns a function that revokes tokens. A refresh token authorizes its own revocation; without a refresh token, the
 * access token is also sent as authorization.
 */
const ending =
  (transport: Transport) =>
  async ({ access_token, refresh_token }: SessionTokens): Promise<void> => {
    const headers = refresh_token === undefined ? { authorization: `Bearer ${access_token}` } : {}
    await send(anonymous(transport), revokeToken, { body: { token: refresh_token ?? access_token } }, { headers })
  }

/**
 * Returns a transport without authorization and retries: its authorization may be the session that the request renews.
 */
function anonymous({ policy: _policy, ...rest }: Transport): Transport {
  return rest
}

const notRenewable = (): ApiError =>
  new ApiError(
    { reason: 'SESSION_ENDED', rpc: 'UNAUTHENTICATED' },
    'there is no refresh token to go on with; sign in again',
  )
