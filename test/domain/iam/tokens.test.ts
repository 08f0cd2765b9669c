import { describe, expect, it } from 'vitest'
import { rememberedKeys } from '../../../server/operations/idempotency.ts'
import { spentRefreshTokens, tokens } from '../../../domain/iam/collections/tokens-store.ts'
import { platformWorkspaceId, systemOrganisationId, systemPrincipalId } from '../../../domain/ports/reserved.ts'
import type { IamOperation, TokenRevocationInput } from '../../../output/iam/types.ts'
import type { CallContext, ListContext, Principal } from '../../../runtime/context.ts'
import { listQuery } from '../../../runtime/pagination.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { tokensList } from '../../../output/iam/filters.ts'
import { addAccount, addUser, sessionTokens, tokenPlatform, type TokenPlatform } from './token-platform.ts'
import { callContext } from './calls.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'

const password = 'correct horse battery'
const hourMs = 3_600_000
const noLimits = { email_network: 0, email: 0, network: 0, credential_token: 0 }

const person = (id: string, sessionId?: string): Principal => ({ id, kind: 'user', sessionId })

async function platformWithTwo() {
  const server = await tokenPlatform({ limits: noLimits })
  const kim = await addUser(server, 'kim@example.test', password, { organisation_id: systemOrganisationId })
  const ada = await addUser(server, 'ada@example.test', password)
  return { server, kim, ada }
}

const revoke = (
  { time, tokens: handlers }: TokenPlatform,
  body: TokenRevocationInput,
  given: Partial<CallContext> = {},
): Promise<IamOperation> => valueOf(handlers.revokeToken({ body }, callContext(time.now, given)))

const ids = (listed: readonly { readonly id: string }[]): string[] => listed.map(({ id }) => id)

describe('listTokens', () => {
  it('returns exactly the declared members, and marks the token of the call', async () => {
    const { server, kim } = await platformWithTwo()
    const first = await server.signIn('kim@example.test', password, { userAgent: `browser/${'x'.repeat(300)}` })
    const second = await server.signIn('kim@example.test', password)
    server.time.now += 1000
    await server.refresh(first.refresh_token ?? '', { clientAddress: '198.51.100.9' })
    expect(await server.list({ order_by: 'created' }, person(kim, first.token_id))).toEqual([
      {
        id: first.token_id,
        principal_id: kim,
        principal_kind: 'USER',
        kind: 'SESSION',
        status: 'ACTIVE',
        created: '2026-05-01T12:00:00.000Z',
        last_refresh_time: '2026-05-01T12:00:01.000Z',
        last_refresh_ip: '198.51.100.9',
        user_agent: `browser/${'x'.repeat(248)}`,
        expire_time: '2026-05-31T12:00:00.000Z',
        idle_expire_time: '2026-05-08T12:00:01.000Z',
        current: true,
      },
      {
        id: second.token_id,
        principal_id: kim,
        principal_kind: 'USER',
        kind: 'SESSION',
        status: 'ACTIVE',
        created: '2026-05-01T12:00:00.000Z',
        last_refresh_ip: '192.0.2.1',
        user_agent: 'test/1',
        expire_time: '2026-05-31T12:00:00.000Z',
        idle_expire_time: '2026-05-08T12:00:00.000Z',
        current: false,
      },
    ])
  })

  it('shows a caller its own tokens, and tokens of others at homes where the caller may see them', async () => {
    const { server, ada, kim } = await platformWithTwo()
    const { token_id: hers } = await server.signIn('ada@example.test', password)
    const { token_id: his } = await server.signIn('kim@example.test', password)
    const caller = person(ada)
    server.seen.visible = { scopes: new Set() }
    expect(ids(await server.list({}, caller))).toEqual([hers])
    expect(await server.list({}, person(server.parts.clock.newId()))).toEqual([])
    server.seen.visible = { scopes: new Set([systemOrganisationId]) }
    expect(ids(await server.list({ order_by: 'created' }, caller))).toEqual([hers, his])
    expect(ids(await server.list({}, person(kim)))).toEqual([his])
    server.seen.visible = 'everything'
    expect(ids(await server.list({ order_by: 'created' }, person(kim)))).toEqual([hers, his])
  })

  it('walks own and visible tokens page by page, each once and in order', async () => {
    const { server, ada } = await platformWithTwo()
    for (let i = 0; i < 5; i += 1) {
      server.time.now += 1000
      await server.signIn('ada@example.test', password)
      server.time.now += 1000
      await server.signIn('kim@example.test', password)
    }
    for (const scopes of [[systemOrganisationId], [systemOrganisationId, '']]) {
      server.seen.visible = { scopes: new Set(scopes) }
      const all = ids(await server.list({ page_size: 100 }, person(ada)))
      expect(all).toHaveLength(10)
      const found: string[] = []
      let after: ListContext['query']['after']
      do {
        const parsed = listQuery({ page_size: 3 }, tokensList, { sign: () => '', open: () => [] }, '', server.time.now)
        const context: ListContext = {
          ...callContext(server.time.now, { principal: person(ada) }),
          query: { ...parsed, after },
        }
        const page = await server.tokens.listTokens({}, context)
        for (const item of page.items) found.push((await valueOf(Promise.resolve(item))).id)
        after = page.next
      } while (after)
      expect(found).toEqual(all)
    }
  })

  it('uses the time of the call for expiry, in filters too', async () => {
    const { server, kim } = await platformWithTwo()
    const idle = await server.signIn('kim@example.test', password)
    const used = await server.signIn('kim@example.test', password)
    const ended = await server.signIn('kim@example.test', password)
    await revoke(server, { token_id: ended.token_id }, { principal: person(kim) })
    server.time.now += 6 * 24 * hourMs
    await server.refresh(used.refresh_token ?? '')
    server.time.now += 24 * hourMs - 1
    const listed = async (filter: string) => ids(await server.list({ filter, order_by: 'created' }, person(kim)))
    expect(await listed('status = ACTIVE')).toEqual([idle.token_id, used.token_id])
    server.time.now += 1
    expect(await listed('status = ACTIVE')).toEqual([used.token_id])
    expect(await listed('status = EXPIRED')).toEqual([idle.token_id])
    expect(await listed('status = REVOKED')).toEqual([ended.token_id])
    expect(await listed('status : EXPIRED')).toEqual([idle.token_id])
    expect(await listed('status != ACTIVE')).toEqual([idle.token_id, ended.token_id])
    expect(await listed('NOT status = REVOKED')).toEqual([idle.token_id, used.token_id])
    expect(await listed('status = (EXPIRED OR REVOKED) AND kind = SESSION')).toEqual([idle.token_id, ended.token_id])
    expect(await listed('status:*')).toHaveLength(3)
    expect(await listed('kind = SERVICE_ACCOUNT')).toEqual([])
    const statuses = (await server.list({ order_by: 'created' }, person(kim))).map(({ status }) => status)
    expect(statuses).toEqual(['EXPIRED', 'ACTIVE', 'REVOKED'])
  })
})

describe('revokeToken', () => {
  it('ends a session by its refresh token or by an access token of its user, without a bearer token', async () => {
    const { server, kim } = await platformWithTwo()
    for (const member of ['access', 'refresh'] as const) {
      const answer = await server.signIn('kim@example.test', password)
      const operation = await revoke(server, { token: sessionTokens(answer)[member] })
      expect(operation).toMatchObject({
        operation_type: 'IAM_OPERATION_TYPE_REVOKE',
        status: 'IAM_OPERATION_STATUS_DONE',
        resource_type: 'iam.tokens',
        resource_id: answer.token_id,
        scope_type: 'IAM_SCOPE_TYPE_ORGANISATION',
        scope_id: systemOrganisationId,
        principal_id: kim,
      })
      expect(await server.admission(answer.access_token)).toBe('TOKEN_REVOKED')
      expect(await outcomeOf(server.refresh(answer.refresh_token ?? ''))).toBe('REFRESH_TOKEN_INVALID')
      expect((await server.store.get(tokens, answer.token_id))?.value).toMatchObject({ revoke_reason: 'LOGOUT' })
    }
  })

  it('succeeds for unknown tokens, for the system principal and at the platform', async () => {
    const { server } = await platformWithTwo()
    const { access_token, refresh_token, token_id } = await server.signIn('kim@example.test', password)
    const unknown = [
      'x',
      'rt1.',
      `rt1.${token_id}.${'A'.repeat(43)}`,
      `${access_token.slice(0, -6)}AAAAAA`,
      refresh_token?.toUpperCase() ?? '',
    ]
    for (const token of unknown) {
      expect(await revoke(server, { token }, { idempotencyKey: 'key' })).toMatchObject({
        status: 'IAM_OPERATION_STATUS_DONE',
        resource_type: 'iam.tokens',
        resource_id: '',
        scope_type: 'IAM_SCOPE_TYPE_PLATFORM',
        scope_id: '',
        principal_id: systemPrincipalId,
      })
    }
    expect(await server.admission(access_token)).toBe('OK')
    expect(await server.store.count(rememberedKeys)).toBe(0)
  })

  it('reports the reuse of a spent refresh token', async () => {
    const { server } = await platformWithTwo()
    const { refresh_token: spent = '', token_id } = await server.signIn('kim@example.test', password)
    await server.refresh(spent)
    server.time.now += 31_000
    await revoke(server, { token: spent })
    expect((await server.store.get(tokens, token_id))?.value).toMatchObject({ revoke_reason: 'REUSE_DETECTED' })
    expect((await server.activities()).map(({ reason }) => reason)).toContain('REUSE_DETECTED')
  })

  it('ends the caller’s own sessions by id without the permission, and others only with the permission', async () => {
    const { server, ada, kim } = await platformWithTwo()
    server.seen.mayRevoke = false
    const own = await server.signIn('kim@example.test', password)
    expect(await revoke(server, { token_id: own.token_id }, { principal: person(kim) })).toMatchObject({
      principal_id: kim,
    })
    expect(await server.admission(own.access_token)).toBe('TOKEN_REVOKED')
    const other = await server.signIn('kim@example.test', password)
    const denied = revoke(server, { token_id: other.token_id }, { principal: person(ada) })
    expect(await outcomeOf(denied)).toBe('IAM_PERMISSION_DENIED')
    expect(await server.admission(other.access_token)).toBe('OK')
    server.seen.mayRevoke = true
    await revoke(server, { token_id: other.token_id }, { principal: person(ada) })
    expect((await server.store.get(tokens, other.token_id))?.value).toMatchObject({ revoke_reason: 'ADMIN' })
    expect(await server.admission(other.access_token)).toBe('TOKEN_REVOKED')
  })

  it('ends all tokens of a principal, and leaves ended tokens unchanged', async () => {
    const { server, ada, kim } = await platformWithTwo()
    const many = await Promise.all([1, 2, 3].map(() => server.signIn('kim@example.test', password)))
    const hers = await server.signIn('ada@example.test', password)
    await revoke(server, { token_id: many[0]?.token_id ?? '' }, { principal: person(kim) })
    const operation = await revoke(server, { principal_id: kim }, { principal: person(ada) })
    expect(operation).toMatchObject({ resource_type: 'iam.principals', resource_id: kim, principal_id: ada })
    const listed = await server.list({ order_by: 'created', filter: `principal_id = ${kim}` }, person(kim))
    // The sessions were opened concurrently, so the order of the list is not fixed; the test compares by id.
    expect(new Map(listed.map(({ id, revoke_reason }) => [id, revoke_reason]))).toEqual(
      new Map(many.map(({ token_id }, i) => [token_id, i === 0 ? 'LOGOUT' : 'ADMIN'])),
    )
    expect(await server.admission(hers.access_token)).toBe('OK')
    const again = await revoke(server, { token_id: many[1]?.token_id ?? '' }, { principal: person(kim) })
    expect(again.status).toBe('IAM_OPERATION_STATUS_DONE')
    expect((await server.store.get(tokens, many[1]?.token_id ?? ''))?.value).toMatchObject({ revoke_reason: 'ADMIN' })
  })

  it('reports unknown tokens and principals only to callers who may revoke everywhere', async () => {
    const { server, ada } = await platformWithTwo()
    const id = server.parts.clock.newId()
    const principal = person(ada)
    expect(await outcomeOf(revoke(server, { token_id: id }, { principal }))).toBe('TOKEN_NOT_FOUND')
    expect(await outcomeOf(revoke(server, { principal_id: id }, { principal }))).toBe('PRINCIPAL_NOT_FOUND')
    expect(await outcomeOf(revoke(server, { principal_id: systemPrincipalId }, { principal }))).toBe(
      'PRINCIPAL_NOT_FOUND',
    )
    server.seen.mayRevoke = false
    expect(await outcomeOf(revoke(server, { token_id: id }, { principal }))).toBe('IAM_PERMISSION_DENIED')
    expect(await outcomeOf(revoke(server, { principal_id: id }, { principal }))).toBe('IAM_PERMISSION_DENIED')
  })

  it('needs a bearer token for an id, and exactly one member', async () => {
    const { server, ada } = await platformWithTwo()
    const id = server.parts.clock.newId()
    expect(await outcomeOf(revoke(server, { token_id: id }))).toBe('TOKEN_MISSING')
    expect(await outcomeOf(revoke(server, { principal_id: id }))).toBe('TOKEN_MISSING')
    for (const body of [{}, { token: 'x', token_id: id }, { token: 'x', token_id: id, principal_id: ada }]) {
      expect(await outcomeOf(revoke(server, body, { principal: person(ada) }))).toBe('FIELD_INVALID')
    }
    const both = { refresh_token: 'x', assertion: 'y' }
    expect(await outcomeOf(server.tokens.refreshToken({ body: both }, callContext(server.time.now)))).toBe(
      'FIELD_INVALID',
    )
    expect(await outcomeOf(server.tokens.refreshToken({ body: {} }, callContext(server.time.now)))).toBe(
      'FIELD_INVALID',
    )
  })

  it('treats a deleted home as the platform', async () => {
    const { server, ada } = await platformWithTwo()
    const gone = await addUser(server, 'gone@example.test', password, { organisation_id: server.parts.clock.newId() })
    await server.signIn('gone@example.test', password)
    const operation = await revoke(server, { principal_id: gone }, { principal: person(ada) })
    expect(operation).toMatchObject({ scope_type: 'IAM_SCOPE_TYPE_PLATFORM', scope_id: '' })
  })

  it('returns the operation of the first call for a repeated Idempotency-Key', async () => {
    const { server, kim } = await platformWithTwo()
    const { token_id } = await server.signIn('kim@example.test', password)
    const given = { principal: person(kim), idempotencyKey: 'once' }
    const first = await revoke(server, { token_id }, given)
    expect(await revoke(server, { token_id }, given)).toEqual(first)
  })
})

describe('service accounts', () => {
  it('are listed where the caller may see their workspace', async () => {
    const { server, kim } = await platformWithTwo()
    const account = await addAccount(server)
    expect(await addAccount(server)).toBe(account)
    const context = (now: number): ListContext => ({
      ...callContext(now, { principal: person(kim) }),
      query: listQuery({}, { ...tokensList, defaultOrder: 'created' }, { sign: () => '', open: () => [] }, '', now),
    })
    const list = async () => {
      const { items } = await server.serviceAccounts.listServiceAccounts({}, context(server.time.now))
      return Promise.all(items.map(item => valueOf(Promise.resolve(item))))
    }
    expect(await list()).toMatchObject([
      {
        id: account,
        name: 'default',
        organisation_id: systemOrganisationId,
        workspace_id: platformWorkspaceId,
        status: 'ACTIVE',
        managed_by: 'PLATFORM',
        keys: [],
        labels: {},
      },
    ])
    server.seen.visible = { scopes: new Set([server.parts.clock.newId()]) }
    expect(await list()).toEqual([])
    expect(await valueOf(server.serviceAccounts.getServiceAccount({ id: account }))).toMatchObject({ id: account })
    const absent = server.serviceAccounts.getServiceAccount({ id: kim })
    await expect(absent).rejects.toBeInstanceOf(ApiError)
    expect(await outcomeOf(absent)).toBe('SERVICE_ACCOUNT_NOT_FOUND')
  })
})

it('the spent refresh tokens of a session are kept as long as the session may last', async () => {
  const { server } = await platformWithTwo()
  const { refresh_token = '', token_id } = await server.signIn('kim@example.test', password)
  await server.refresh(refresh_token)
  const spent = await server.store.find(spentRefreshTokens, {})
  expect(spent?.value).toMatchObject({ token_id, expire_time: '2026-05-31T12:00:00.000Z' })
})
