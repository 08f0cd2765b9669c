import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError, rpcCodes, toStatus } from '../../../runtime/errors.ts'
import type { Access, Route } from '../../../runtime/route.ts'
import type { WireRequest } from '../../../runtime/wire.ts'
import { bootstrapAccess, bootstrapPrincipals } from '../../../server/access/bootstrap.ts'
import { bootstrapToken } from '../../../server/access/token-file.ts'
import { createClock } from '../../../server/clock.ts'
import { sample } from '../sample-area.ts'
import { testFolder, testStore } from '../store/harness.ts'

const token = 'a'.repeat(43)
const guarded: Access = { kind: 'permission', key: 'sample.crates.get', class: 'READ', scope: 'platform' }

const wire = (authorization?: string): WireRequest => ({
  method: 'GET',
  target: '/',
  headers: authorization === undefined ? {} : { authorization },
  body: undefined,
  signal: new AbortController().signal,
  clientAddress: '127.0.0.1',
})

const routeWith = (access: Access | undefined): Route<unknown, unknown> => ({
  operationId: 'anything',
  method: 'GET',
  path: ['/anything'],
  success: [{ status: 200 }],
  domain: sample,
  ...(access && { access }),
  check: (_request): _request is unknown => true,
})

const contextOf = (principal: CallContext['principal']): CallContext => ({
  principal,
  method: 'GET',
  path: '/',
  requestId: '',
  traceId: '',
  idempotencyKey: undefined,
  clientAddress: '',
  signal: new AbortController().signal,
  now: 0,
})

async function caught(attempt: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await attempt.catch((thrown: unknown) => thrown)
  if (error instanceof ApiError) return error
  throw new Error(`expected an ApiError, got ${String(error)}`)
}

describe('the door', () => {
  it.each([
    ['no header', undefined, 'TOKEN_MISSING', '2000101'],
    ['another token', `Bearer ${'b'.repeat(43)}`, 'TOKEN_INVALID', '2000102'],
    ['a shorter token', `Bearer ${token.slice(1)}`, 'TOKEN_INVALID', '2000102'],
    ['another scheme', `Basic ${token}`, 'TOKEN_INVALID', '2000102'],
    ['no token', 'Bearer ', 'TOKEN_INVALID', '2000102'],
    ['an empty header', '', 'TOKEN_INVALID', '2000102'],
    ['two tokens', `Bearer ${token}, Bearer ${token}`, 'TOKEN_INVALID', '2000102'],
    ['a token with a blank', `Bearer ${token} x`, 'TOKEN_INVALID', '2000102'],
  ])('is shut for %s', async (_name, header, reason, code) => {
    const { doors } = await bootstrapAccess(await testStore(bootstrapPrincipals), createClock(), token)
    const error = await caught(doors.authenticate(wire(header), guarded))
    expect(toStatus(error, sample)).toMatchObject({
      code: 16,
      details: [{ reason, domain: 'iam', metadata: { code } }],
    })
    expect(rpcCodes[error.rpc]).toBe(401)
    expect(error.message).not.toContain(token)
  })

  it.each([`Bearer ${token}`, `bearer  ${token}`])('opens to "%s"', async header => {
    const { doors, principal } = await bootstrapAccess(await testStore(bootstrapPrincipals), createClock(), token)
    expect(await doors.authenticate(wire(header), guarded)).toEqual(principal)
  })

  it.each<[string, Access | undefined, boolean]>([
    ['a permission', guarded, true],
    ['own things', { kind: 'own' }, true],
    ['any principal', { kind: 'authenticated' }, true],
    ['nothing declared', undefined, false],
  ])('lets the administrator pass where a route asks for %s: %s', async (_name, access, passes) => {
    const { doors, principal } = await bootstrapAccess(await testStore(bootstrapPrincipals), createClock(), token)
    const attempt = (who: CallContext['principal']) => doors.authorize(contextOf(who), routeWith(access), new Map())
    if (passes) await expect(attempt(principal)).resolves.toBeUndefined()
    else expect((await caught(attempt(principal))).reason).toBe('IAM_PERMISSION_DENIED')
    expect((await caught(attempt(undefined))).reason).toBe('IAM_PERMISSION_DENIED')
    expect((await caught(attempt({ id: 'somebody else', kind: 'user' }))).reason).toBe('IAM_PERMISSION_DENIED')
  })

  it('lets everybody pass where a route is public', async () => {
    const { doors } = await bootstrapAccess(await testStore(bootstrapPrincipals), createClock(), token)
    expect(await doors.authenticate(wire('Bearer wrong'), { kind: 'public' })).toBeUndefined()
    await expect(
      doors.authorize(contextOf(undefined), routeWith({ kind: 'public' }), new Map()),
    ).resolves.toBeUndefined()
  })
})

it('the administrator keeps one identity on one store', async () => {
  const store = await testStore(bootstrapPrincipals)
  const first = await bootstrapAccess(store, createClock(), token)
  const again = await bootstrapAccess(store, createClock(), 'c'.repeat(43))
  expect(again.principal).toEqual(first.principal)
  expect(first.principal.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(await first.principals.find(store, first.principal.id)).toEqual({ kind: 'user', status: 'ACTIVE' })
  expect(await first.principals.find(store, 'nobody')).toBeUndefined()
})

it('domain code is told what the administrator holds, and others do not', async () => {
  const { access, principal } = await bootstrapAccess(await testStore(bootstrapPrincipals), createClock(), token)
  const scope = { type: 'ORGANISATION', id: 'o-1' } as const
  await expect(access.require(contextOf(principal), 'a.b.c', scope)).resolves.toBeUndefined()
  expect(await access.holds(contextOf(principal), 'a.b.c', scope)).toBe(true)
  expect(await access.holds(contextOf(undefined), 'a.b.c', scope)).toBe(false)
  expect(await caught(access.require(contextOf(undefined), 'a.b.c', scope))).toMatchObject({
    reason: 'IAM_PERMISSION_DENIED',
    metadata: { permission: 'a.b.c', scope_type: 'ORGANISATION', scope_id: 'o-1' },
  })
})

describe('the token file', () => {
  it('is made once, of 256 random bits, for its owner alone', async () => {
    const folder = testFolder()
    const [first, second] = await Promise.all([bootstrapToken(folder), bootstrapToken(folder)])
    expect(second.token).toBe(first.token)
    expect(Buffer.from(first.token, 'base64url')).toHaveLength(32)
    expect(statSync(first.file).mode & 0o777).toBe(0o600)
    expect(readFileSync(first.file, 'utf8')).toBe(`${first.token}\n`)
    expect((await bootstrapToken(testFolder())).token).not.toBe(first.token)
  })

  it('is closed again when somebody opened it to others', async () => {
    const folder = testFolder()
    const { file, token: made, wasExposed } = await bootstrapToken(folder)
    chmodSync(file, 0o644)
    const again = await bootstrapToken(folder)
    expect([wasExposed, again.wasExposed, again.token === made]).toEqual([false, true, true])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('that holds no token stops the start', async () => {
    const folder = testFolder()
    const { file } = await bootstrapToken(folder)
    writeFileSync(file, 'short\n')
    await expect(bootstrapToken(folder)).rejects.toThrow('holds no token')
  })
})
