import { createPublicKey, randomUUID, verify, type JsonWebKey } from 'node:crypto'
import type { Handlers } from '../cli/partial-handlers.ts'
import { partial } from '../cli/partial-handlers.ts'
import {
  assertionInvalid,
  iam,
  invalidCredentials,
  refreshTokenInvalid,
  tokenExpired,
} from '../../output/iam/errors.ts'
import { iamRoutes } from '../../output/iam/routes.ts'
import type { TokenResponse, User } from '../../output/iam/types.ts'
import { dispatcher } from '../../runtime/call.ts'
import { ApiError, commonReasons } from '../../runtime/errors.ts'
import { fetchHost } from '../../runtime/hosts/fetch.ts'
import type { Transport } from '../../runtime/transport.ts'
import { fakeTiming } from '../runtime/fake-time.ts'

export const password = 'correct horse battery'

/**
 * Starts a server that issues tokens as the platform does: access tokens for 900 seconds, and refresh tokens for one
 * use. Returns a transport to the server, its records and its controls.
 */
export function tokenServer(accountKey?: JsonWebKey) {
  const timing = fakeTiming()
  /** The recorded requests: counts, revoked tokens and the audiences of the assertions. */
  const seen = {
    authentications: 0,
    refreshes: 0,
    revoked: new Array<string | undefined>(),
    audiences: new Set<string>(),
  }
  const faults = { unavailable: 0, held: undefined as Promise<void> | undefined }
  const valid = new Set<string>()
  let newest = ''

  const grant = (isUser: boolean): TokenResponse => {
    const [access_token, refresh_token] = [`a.${randomUUID()}`, `rt1.${randomUUID()}`]
    valid.clear()
    valid.add(access_token)
    newest = refresh_token
    const common = { access_token, token_type: 'Bearer', expires_in: 900, token_id: 't', principal_id: 'p' } as const
    return isUser ? { ...common, refresh_token, refresh_expires_in: 2_592_000 } : common
  }

  const checkAssertion = (assertion: string): void => {
    const [header = '', claims = '', signature = ''] = assertion.split('.')
    const parsed = JSON.parse(Buffer.from(claims, 'base64url').toString())
    seen.audiences.add(parsed.aud)
    const key = createPublicKey({ key: accountKey ?? {}, format: 'jwk' })
    const isSigned = verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))
    if (!isSigned || parsed.exp - parsed.iat > 300 || parsed.iss !== parsed.sub) throw assertionInvalid('not valid')
  }

  const handlers: Handlers<typeof iamRoutes> = {
    users: {
      async authenticate({ body }: { body: { email: string; password: string } }) {
        seen.authentications += 1
        if (body.password !== password) throw invalidCredentials('the address or the password is wrong')
        return grant(true)
      },
      getMyProfile: async () => ({ id: 'p', email: 'a@b.c' }) as User,
    },
    tokens: {
      async refreshToken({ body }: { body: { refresh_token?: string; assertion?: string } }) {
        seen.refreshes += 1
        await faults.held
        if (faults.unavailable > 0) {
          faults.unavailable -= 1
          throw new ApiError(commonReasons.ENGINE_UNAVAILABLE, 'not now')
        }
        if (body.assertion !== undefined) {
          checkAssertion(body.assertion)
          return grant(false)
        }
        if (body.refresh_token !== newest) throw refreshTokenInvalid('the refresh token is not valid')
        return grant(true)
      },
      async revokeToken({ body }: { body: { token?: string } }) {
        seen.revoked.push(body.token)
        return { id: 'o', status: 'IAM_OPERATION_STATUS_DONE' }
      },
    },
  }
  const dispatch = dispatcher({
    routes: iamRoutes(partial(handlers)),
    doors: {
      async authenticate(request, access) {
        if (access?.kind === 'public' || (access?.kind === 'permission' && access.bearerOptional)) return undefined
        const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
        if (!valid.has(token)) throw tokenExpired('the token has expired')
        return { id: 'p', kind: 'user' }
      },
      authorize: async () => {},
    },
    clock: { now: timing.now, newId: randomUUID },
    domains: { outside: iam },
    log: () => {},
  })
  const serve = fetchHost(dispatch)
  const transport: Transport = {
    baseUrl: 'http://iam.test/',
    fetch: (input, init) => serve(new Request(input, init)),
    timing,
  }
  return { transport, timing, seen, faults, expireAll: () => valid.clear(), spend: () => void (newest = '') }
}
