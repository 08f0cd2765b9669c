import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import {
  credentialTokenInvalid,
  iam,
  invalidCredentials,
  refreshTokenInvalid,
  roleNotFound,
  tokenExpired,
  tokenMissing,
} from '../../output/iam/errors.ts'
import { iamRoutes } from '../../output/iam/routes.ts'
import type { TokenResponse } from '../../output/iam/types.ts'
import { dispatcher } from '../../runtime/call.ts'
import type { ListContext } from '../../runtime/context.ts'
import { nodeHost, serverOptions } from '../../runtime/hosts/node.ts'
import { pageTokens } from '../../runtime/page-token.ts'
import { listInMemory } from '../../runtime/pagination.ts'
import { partial, type Handlers } from './partial-handlers.ts'

export const email = 'ada@example.com'
export const password = 'correct horse battery'
export const operationId = '0199c5a0-0c11-7d84-b6a9-2f3e4d5c6b70'
export const activationToken = 'ct1.activation'

/**
 * Starts a server on a free port, with one account that can sign in and a list of 130 users. The server records its
 * requests. Returns the URL, the records and functions that control the tokens.
 */
export async function apiServer() {
  const seen = {
    refreshes: 0,
    bodies: new Array<unknown>(),
    authorizations: new Array<string | undefined>(),
    revoked: new Array<string | undefined>(),
    activated: new Array<unknown>(),
  }
  const valid = new Set<string>()
  let newest = ''
  let polls = 0

  function grant(): TokenResponse {
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    valid.add(access_token)
    newest = refresh_token
    const common = { token_type: 'Bearer', expires_in: 900, token_id: 't', principal_id: 'p' } as const
    return { ...common, access_token, refresh_token, refresh_expires_in: 2_592_000 }
  }

  const users = Array.from({ length: 130 }, (_, index) => ({
    id: `user-${String(index).padStart(3, '0')}`,
    email: `u${index}@example.com`,
    display_name: index === 0 ? 'red \u001b[31m alert' : `User ${index}`,
    status: 'ACTIVE',
    created: '2026-01-01T00:00:00Z',
  }))
  const record = (status: string, progress: number) => ({
    id: operationId,
    resource_id: 'role-1',
    resource_type: 'iam.roles',
    status: `IAM_OPERATION_STATUS_${status}`,
    progress,
    ...(status === 'ERROR' && { errors: [{ reason: 'ROLE_IN_USE', description: 'somebody holds it', code: 1 }] }),
  })

  const handlers: Handlers<typeof iamRoutes> = {
    users: {
      async authenticate({ body }: { body: { email: string; password: string } }) {
        if (body.email !== email || body.password !== password) throw invalidCredentials('address or password is wrong')
        return grant()
      },
      async lookupCredentialToken({ body }: { body: { token: string } }) {
        if (body.token !== activationToken) throw credentialTokenInvalid('the token is not valid')
        return { purpose: 'ACTIVATION', email, display_name: 'Ada', password_min_length: 12, password_max_length: 128 }
      },
      async activateUser({ body }: { body: unknown }) {
        seen.activated.push(body)
        return record('DONE', 100)
      },
      listUsers: async (_: never, { query }: ListContext) => listInMemory(users, query),
    },
    tokens: {
      async refreshToken({ body }: { body: { refresh_token?: string } }) {
        seen.refreshes += 1
        if (body.refresh_token !== newest) throw refreshTokenInvalid('the refresh token is not valid')
        return grant()
      },
      async revokeToken({ body }: { body: { token?: string } }) {
        seen.revoked.push(body.token)
        return record('DONE', 100)
      },
    },
    roles: {
      async createRole({ body }: { body: unknown }) {
        seen.bodies.push(body)
        return record('PENDING', 0)
      },
      async deleteRole() {
        return record('ERROR', 10)
      },
      async getRole({ id }: { id: string }) {
        throw roleNotFound(`there is no role "${id}"`, { resource: { type: 'iam.roles', name: id } })
      },
    },
    operations: {
      async getOperation() {
        polls += 1
        return polls === 1 ? record('RUNNING', 50) : record('DONE', 100)
      },
    },
  }
  const dispatch = dispatcher({
    routes: iamRoutes(partial(handlers)),
    doors: {
      async authenticate({ headers }, access) {
        seen.authorizations.push(headers.authorization)
        if (access?.kind === 'public' || (access?.kind === 'permission' && access.bearerOptional)) return undefined
        if (headers.authorization === undefined) throw tokenMissing('there is no token')
        if (!valid.has(headers.authorization.replace('Bearer ', ''))) throw tokenExpired('the token has expired')
        return { id: 'p', kind: 'user' }
      },
      authorize: async () => {},
    },
    tokens: pageTokens(text => createHmac('sha256', 'key').update(text).digest('binary')),
    clock: { now: () => Date.now(), newId: randomUUID },
    domains: { outside: iam },
    log: () => {},
  })
  const server = createServer(serverOptions, nodeHost(dispatch)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, seen, grant, expireAll: () => valid.clear(), newest: () => newest }
}
