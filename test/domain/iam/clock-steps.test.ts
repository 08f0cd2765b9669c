import { describe, expect, it } from 'vitest'
import { endTokensOf } from '../../../domain/iam/sessions/end-token.ts'
import { signingKeys } from '../../../domain/iam/collections/signing-keys-store.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { addUser, sessionTokens, tokenPlatform, type TokenPlatform } from './token-platform.ts'
import { outcomeOf } from '../outcomes.ts'

const password = 'correct horse battery'
const kim = 'kim@example.test'
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const yearMs = 365 * 24 * hourMs

async function signedIn() {
  const server = await tokenPlatform()
  const user = await addUser(server, kim, password)
  return { server, user, ...sessionTokens(await server.signIn(kim, password)) }
}

const endAll = ({ parts, store, time }: TokenPlatform, principal: string) =>
  store.tx(tx => endTokensOf(tx, parts.feed, principal, { reason: 'ADMIN', time: formatMillis(time.now) }))

describe('a clock that is set ahead and back again', () => {
  it('does not admit a revoked session', async () => {
    const { access, server, user } = await signedIn()
    const other = await addUser(server, 'lou@example.test', password)
    await server.signIn('lou@example.test', password)
    expect(await server.admission(access)).toBe('OK')
    await endAll(server, user)
    server.time.now += hourMs
    // This revocation deletes older revocations whose tokens have expired.
    await endAll(server, other)
    server.time.now -= hourMs
    expect(await server.admission(access)).toBe('TOKEN_REVOKED')
  })

  it('ends the delay of an address without later guesses', async () => {
    const { server } = await signedIn()
    const guess = () => outcomeOf(server.signIn(kim, 'wrong', { clientAddress: '192.0.2.1' }))
    server.time.now += yearMs
    for (let guesses = 0; guesses < 120; guesses += 1) await guess()
    expect(await guess()).toBe('AUTHENTICATION_THROTTLED')
    server.time.now -= yearMs
    expect((await server.parts.throttle.waits([kim], server.time.now)).size).toBe(0)
    expect(await outcomeOf(server.signIn(kim, password, { clientAddress: '192.0.2.1' }))).toBe('OK')
    // New wrong guesses lead to a delay again.
    for (let guesses = 0; guesses < 5; guesses += 1) expect(await guess()).toBe('INVALID_CREDENTIALS')
    expect(await guess()).toBe('AUTHENTICATION_THROTTLED')
  })

  it('signs with no key for longer than a day', async () => {
    const { server } = await signedIn()
    const count = () => server.store.count(signingKeys)
    server.time.now += yearMs
    await server.accessTokens.ready()
    const before = await count()
    server.time.now -= yearMs
    await server.accessTokens.ready()
    expect(await count()).toBe(before + 1)
    await server.accessTokens.ready()
    server.time.now -= 1000
    await server.accessTokens.ready()
    expect(await count()).toBe(before + 1)
  })
})

describe('a clock that is set back', () => {
  it('does not make a spent refresh token valid again', async () => {
    const { refresh, server } = await signedIn()
    const next = sessionTokens(await server.refresh(refresh)).refresh
    server.time.now -= 29_000
    expect(sessionTokens(await server.refresh(refresh)).refresh).toBe(next)
    server.time.now -= hourMs
    expect(await outcomeOf(server.refresh(refresh))).toBe('REFRESH_TOKEN_INVALID')
    expect(await outcomeOf(server.refresh(next))).toBe('REFRESH_TOKEN_INVALID')
  })

  it('keeps a revoked session revoked for as long as its tokens seem to be valid', async () => {
    const { access, server, user } = await signedIn()
    await endAll(server, user)
    for (let back = 0; back < 10; back += 1) {
      server.time.now -= 10_000
      expect(await server.admission(access)).toBe('TOKEN_REVOKED')
    }
    server.time.now += 20 * minuteMs
    expect(await server.admission(access)).toBe('TOKEN_EXPIRED')
  })
})
