import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Session, SessionTokens } from '../../client/session.ts'
import { resume, signIn, signInByAssertion } from '../../client/sign-in.ts'
import { IamClient } from '../../output/iam/client.ts'
import { bearer, createTransport } from '../../runtime/transport.ts'
import type { Transport } from '../../runtime/transport.ts'
import { password, tokenServer } from './token-server.ts'

const credentials = { email: 'a@b.c', password }

const clientOf = (transport: Transport, session: Session): IamClient => {
  const { policy: _policy, ...options } = transport
  return new IamClient(createTransport({ ...options, authorize: bearer(session) }))
}

const reason = (name: string) => expect.objectContaining({ reason: name })

test('a signed-in client sends the token with its calls', async () => {
  const { transport, seen } = tokenServer()
  const session = await signIn(transport, credentials)
  expect(await clientOf(transport, session).getMyProfile()).toMatchObject({ email: 'a@b.c' })
  expect(session.tokens).toMatchObject({ principal_id: 'p', expire_time: '2026-01-01T00:15:00.000Z' })
  expect(seen.refreshes).toBe(0)
})

test('a sign-in with a wrong password is not retried', async () => {
  const { transport, seen } = tokenServer()
  await expect(signIn(transport, { ...credentials, password: 'wrong' })).rejects.toEqual(reason('INVALID_CREDENTIALS'))
  expect(seen.authentications).toBe(1)
})

test('tokens are renewed a minute before they expire, once for all concurrent calls', async () => {
  const { transport, timing, seen } = tokenServer()
  const session = await signIn(transport, credentials)
  const first = await session.token()
  await timing.sleep(839_000, AbortSignal.timeout(1000))
  expect(await session.token()).toBe(first)
  await timing.sleep(2_000, AbortSignal.timeout(1000))
  const tokens = await Promise.all([session.token(), session.token(), session.token()])
  expect(new Set(tokens)).toEqual(new Set([session.tokens.access_token]))
  expect(tokens).not.toContain(first)
  expect(seen.refreshes).toBe(1)
})

test('two concurrent refreshes send one request', async () => {
  const { transport, seen } = tokenServer()
  const session = await signIn(transport, credentials)
  await Promise.all([session.refresh(), session.refresh()])
  expect(seen.refreshes).toBe(1)
  await session.refresh()
  expect(seen.refreshes).toBe(2)
})

test('TOKEN_EXPIRED during many calls of two clients leads to one refresh', async () => {
  const { transport, seen, expireAll } = tokenServer()
  const session = await signIn(transport, credentials)
  const clients = [clientOf(transport, session), clientOf(transport, session)]
  const calls = Array.from({ length: 40 }, (_, index) => {
    if (index === 20) expireAll()
    return clients[index % 2]?.getMyProfile()
  })
  for (const profile of await Promise.all(calls)) expect(profile).toMatchObject({ id: 'p' })
  expect(seen.refreshes).toBe(1)
})

test('a session whose refresh token is refused has ended, and sends no further refresh', async () => {
  const { transport, seen, spend, expireAll } = tokenServer()
  const told: (SessionTokens | undefined)[] = []
  const session = await signIn(transport, credentials, { onChange: tokens => void told.push(tokens) })
  spend()
  expireAll()
  await expect(clientOf(transport, session).getMyProfile()).rejects.toEqual(reason('REFRESH_TOKEN_INVALID'))
  await expect(session.token()).rejects.toEqual(reason('REFRESH_TOKEN_INVALID'))
  await expect(session.refresh()).rejects.toEqual(reason('REFRESH_TOKEN_INVALID'))
  expect(seen.refreshes).toBe(1)
  expect(told).toEqual([session.tokens, undefined])
})

test('a refresh without a response is retried, and the valid token is used during the retries', async () => {
  const { transport, timing, seen, faults } = tokenServer()
  const session = await signIn(transport, credentials)
  const first = await session.token()
  faults.unavailable = 2
  await session.refresh()
  expect(seen.refreshes).toBe(3)
  const second = await session.token()
  expect(second).not.toBe(first)
  faults.unavailable = Infinity
  await timing.sleep(850_000, AbortSignal.timeout(1000))
  expect(await session.token()).toBe(second)
  await timing.sleep(60_000, AbortSignal.timeout(1000))
  await expect(session.token()).rejects.toEqual(reason('ENGINE_UNAVAILABLE'))
  faults.unavailable = 0
  expect(await session.token()).not.toBe(second)
})

test('a session continues from stored tokens, and reports new tokens before their first use', async () => {
  const { transport, seen } = tokenServer()
  const { tokens } = await signIn(transport, credentials)
  const kept: (SessionTokens | undefined)[] = []
  const session = resume(transport, JSON.parse(JSON.stringify(tokens)), {
    onChange: async changed => {
      await Promise.resolve()
      kept.push(changed)
    },
  })
  expect(await session.token()).toBe(tokens.access_token)
  await session.refresh()
  expect(kept).toEqual([session.tokens])
  expect(seen.authentications).toBe(1)
})

test('signing out revokes the newest token, even during a refresh', async () => {
  const { transport, seen, faults } = tokenServer()
  const session = await signIn(transport, credentials)
  const held = Promise.withResolvers<void>()
  faults.held = held.promise
  const [refresh, end] = [session.refresh(), session.signOut()]
  held.resolve()
  await Promise.all([refresh, end])
  expect(seen.revoked).toEqual([session.tokens.refresh_token])
  await expect(session.token()).rejects.toEqual(reason('SESSION_ENDED'))
  await session.signOut()
  expect(seen.revoked).toHaveLength(1)
})

test('a service account signs in with its key, and again when its token expires', async () => {
  const { publicKey } = await accountKey
  const { transport, timing, seen } = tokenServer(publicKey)
  const session = await signInByAssertion(transport, await signing())
  expect(session.tokens.refresh_token).toBeUndefined()
  await timing.sleep(900_000, AbortSignal.timeout(1000))
  expect(await clientOf(transport, session).getMyProfile()).toMatchObject({ id: 'p' })
  expect(seen.refreshes).toBe(2)
  expect([...seen.audiences]).toEqual(['http://iam.test/iam/v1/tokens:refresh'])
  await session.signOut()
  expect(seen.revoked).toEqual([session.tokens.access_token])
})

test('an assertion of another key is refused', async () => {
  const { transport } = tokenServer(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }))
  await expect(signInByAssertion(transport, await signing())).rejects.toEqual(reason('ASSERTION_INVALID'))
})

const accountKey = (async () => {
  const { publicKey, privateKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  const { crv, kty, x } = await crypto.subtle.exportKey('jwk', publicKey)
  return { privateKey, publicKey: { crv, kty, x } as JsonWebKey }
})()

const signing = async () => ({ accountId: 'account', keyId: 'key', privateKey: (await accountKey).privateKey })
