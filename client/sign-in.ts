import { authenticate, refreshToken, revokeToken } from '../output/iam/routes.ts'
import type { TokenRefreshInput } from '../output/iam/types.ts'
import { ApiError } from '../runtime/errors.ts'
import { createBudget, persist, realTiming } from '../runtime/retry.ts'
import { send } from '../runtime/transport.ts'
import type { Transport } from '../runtime/transport.ts'
import { signAssertion } from './assertion.ts'
import type { AssertionKey } from './assertion.ts'
import { clockOf, startSession, tokensOf } from './session.ts'
import type { Session, SessionOptions, Tokens } from './session.ts'

/** What a person signs in with. */
export interface Credentials {
  readonly email: string
  readonly password: string
}

/** A spent refresh token gives its successor again for 30 seconds (iam.md 4.7): until then a lost answer is asked for anew. */
const retryMs = 25_000
const retries = 3

/**
 * Signs a user in over a transport, of which only address, `fetch` and headers count. Rejects with `ApiError`, such as
 * INVALID_CREDENTIALS; is tried once, since attempts are counted.
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

/** Goes on with the tokens of an earlier session of a user; asks the server nothing until they end. */
export function resume(transport: Transport, tokens: Tokens, options: SessionOptions = {}): Session {
  const next = ({ refresh_token }: Tokens): Promise<Tokens> => {
    if (refresh_token === undefined) return Promise.reject(notRenewable())
    return renewed(transport, async () => ({ refresh_token }))
  }
  return startSession(tokens, { next, end: ending(transport), now: clockOf(transport) }, options)
}

export interface AssertionOptions extends SessionOptions {
  /** What the server calls the address of tokens:refresh; absent: as it is called here. */
  readonly audience?: string
}

/** Signs a service account in. New tokens are got with new assertions, as long as the key is registered. */
export async function signInByAssertion(
  transport: Transport,
  key: AssertionKey,
  options: AssertionOptions = {},
): Promise<Session> {
  const now = clockOf(transport)
  const { audience = `${transport.baseUrl.replace(/\/$/, '')}/iam/v1/tokens:refresh` } = options
  const next = (): Promise<Tokens> =>
    renewed(transport, async () => ({ assertion: await signAssertion(key, audience, now()) }))
  const tokens = await next()
  await options.onChange?.(tokens)
  return startSession(tokens, { next, end: ending(transport), now }, options)
}

/** Each try says what it shows anew: an assertion may be used once. */
async function renewed(transport: Transport, proof: () => Promise<TokenRefreshInput>): Promise<Tokens> {
  const timing = { ...realTiming, ...transport.timing }
  const ask = async (): Promise<Tokens> => {
    const askedMs = timing.now()
    return tokensOf(await send(anonymous(transport), refreshToken, { body: await proof() }), askedMs)
  }
  const { signal } = new AbortController()
  return persist(ask, { retries, deadline: timing.now() + retryMs, signal, budget: createBudget(), timing })
}

/** A refresh token speaks for itself; the access token of a service account has to be shown too. */
const ending =
  (transport: Transport) =>
  async ({ access_token, refresh_token }: Tokens): Promise<void> => {
    const headers = refresh_token === undefined ? { authorization: `Bearer ${access_token}` } : {}
    await send(anonymous(transport), revokeToken, { body: { token: refresh_token ?? access_token } }, { headers })
  }

/** The transport without what authorizes its calls, which may be the very session that is about to be renewed. */
function anonymous({ policy: _policy, ...rest }: Transport): Transport {
  return rest
}

const notRenewable = (): ApiError =>
  new ApiError(
    { reason: 'SESSION_ENDED', rpc: 'UNAUTHENTICATED' },
    'there is no refresh token to go on with; sign in again',
  )
