import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tokens } from '../../../domain/iam/collections/tokens-store.ts'
import { users } from '../../../domain/iam/collections/users-store.ts'
import { principals, writePrincipal } from '../../../domain/iam/collections/principals-store.ts'
import { testPlace } from '../../server/store/harness.ts'
import { addUser, sessionTokens, tokenPlatform, type TokenPlatform } from './token-platform.ts'
import { callContext } from './calls.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'

const password = 'correct horse battery'
/** Limits without throttling, which would treat the many concurrent sign-ins as guesses. */
const noLimits = { email_network: 0, email: 0, network: 0, credential_token: 0 }
const hourMs = 3_600_000
const dayMs = 24 * hourMs

async function signedIn(options: Parameters<typeof tokenPlatform>[0] = {}) {
  const server = await tokenPlatform(options)
  const user = await addUser(server, 'kim@example.test', password)
  const answer = await server.signIn('kim@example.test', password)
  return { server, user, answer, ...sessionTokens(answer) }
}

const refreshed = async (server: TokenPlatform, token: string) => sessionTokens(await server.refresh(token))

const statusOf = async (server: TokenPlatform, id: string) => (await server.store.get(tokens, id))?.value

describe('a refresh token', () => {
  it('gets the same successor again within 30 seconds, and ends the session if it is used after its successor', async () => {
    const { server, answer, refresh: r1 } = await signedIn()
    const { refresh: r2 } = await refreshed(server, r1)
    server.time.now += 29_000
    expect((await refreshed(server, r1)).refresh).toBe(r2)
    const { access, refresh: r3 } = await refreshed(server, r2)
    expect(await server.admission(access)).toBe('OK')
    expect(await outcomeOf(server.refresh(r1))).toBe('REFRESH_TOKEN_INVALID')
    expect(await outcomeOf(server.refresh(r3))).toBe('REFRESH_TOKEN_INVALID')
    expect(await server.admission(access)).toBe('TOKEN_REVOKED')
    expect(await server.admission(answer.access_token)).toBe('TOKEN_REVOKED')
    expect(await statusOf(server, answer.token_id)).toMatchObject({ revoke_reason: 'REUSE_DETECTED' })
    const found = (await server.activities()).filter(({ reason }) => reason === 'REUSE_DETECTED')
    expect(found).toMatchObject([
      { category: 'AUTHENTICATION', outcome: 'DENIED', resource_type: 'iam.tokens', resource_id: answer.token_id },
    ])
  })

  it('ends the session if it is used again after 30 seconds, even if its successor is unused', async () => {
    const { server, answer, refresh: r1 } = await signedIn()
    const { refresh: r2 } = await refreshed(server, r1)
    server.time.now += 30_001
    expect(await outcomeOf(server.refresh(r1))).toBe('REFRESH_TOKEN_INVALID')
    expect(await outcomeOf(server.refresh(r2))).toBe('REFRESH_TOKEN_INVALID')
    expect(await server.admission(answer.access_token)).toBe('TOKEN_REVOKED')
  })

  it('is refused without an end of the session if its secret was never issued', async () => {
    const { server, answer, refresh } = await signedIn()
    const forged = `rt1.${answer.token_id}.${'A'.repeat(43)}`
    expect(await outcomeOf(server.refresh(forged))).toBe('REFRESH_TOKEN_INVALID')
    expect(await outcomeOf(server.refresh(refresh))).toBe('OK')
  })

  it('of another session is refused without an end of either session', async () => {
    const { server, answer, refresh } = await signedIn()
    const other = sessionTokens(await server.signIn('kim@example.test', password)).refresh
    const spent = (await refreshed(server, other)).refresh
    const crossed = `rt1.${answer.token_id}.${other.slice(-43)}`
    expect(await outcomeOf(server.refresh(crossed))).toBe('REFRESH_TOKEN_INVALID')
    expect([await outcomeOf(server.refresh(refresh)), await outcomeOf(server.refresh(spent))]).toEqual(['OK', 'OK'])
  })

  it('expires after 7 days without use, and after 30 days in any case', async () => {
    const { server, refresh } = await signedIn()
    let live = refresh
    for (let week = 0; week < 4; week += 1) {
      server.time.now += 7 * dayMs - 1000
      live = (await refreshed(server, live)).refresh
    }
    const answer = await server.refresh(live)
    expect(answer.refresh_expires_in).toBe((2 * dayMs + 4000) / 1000)
    server.time.now += 2 * dayMs + 4000
    expect(await outcomeOf(server.refresh(answer.refresh_token ?? ''))).toBe('REFRESH_TOKEN_INVALID')
    const idle = sessionTokens(await server.signIn('kim@example.test', password)).refresh
    server.time.now += 7 * dayMs
    expect(await outcomeOf(server.refresh(idle))).toBe('REFRESH_TOKEN_INVALID')
  })

  it('is refused for a user who is no longer active', async () => {
    const { server, user, refresh } = await signedIn()
    await server.store.tx(async tx => {
      const row = await tx.get(principals, user)
      if (row) await writePrincipal(tx, { ...row.value, status: 'DEACTIVATED' })
    })
    expect(await outcomeOf(server.refresh(refresh))).toBe('REFRESH_TOKEN_INVALID')
  })

  it('is accepted only in the exact form of its issue', async () => {
    const { server, answer, refresh } = await signedIn()
    const flips = fc.tuple(fc.nat({ max: refresh.length - 1 }), fc.integer({ min: 1, max: 127 }))
    const texts = fc.oneof(
      flips.map(([at, bits]) => {
        const unit = String.fromCharCode(refresh.charCodeAt(at) ^ bits)
        return refresh.slice(0, at) + unit + refresh.slice(at + 1)
      }),
      fc.constantFrom(
        ` ${refresh}`,
        `${refresh} `,
        `${refresh}=`,
        refresh.toUpperCase(),
        refresh.slice(0, -1),
        `${refresh}A`,
      ),
      fc.string({ maxLength: 80 }),
      fc
        .uint8Array({ minLength: 32, maxLength: 32 })
        .map(bytes => `rt1.${answer.token_id}.${Buffer.from(bytes).toString('base64url')}`),
    )
    await fc.assert(
      fc.asyncProperty(texts, async text => {
        fc.pre(text !== refresh)
        expect(await outcomeOf(server.refresh(text))).toBe('REFRESH_TOKEN_INVALID')
      }),
      { numRuns: 300 },
    )
    expect(await outcomeOf(server.refresh(refresh))).toBe('OK')
  })
})

describe('races of refresh tokens', () => {
  it('concurrent refreshes on two servers get the same successor', async () => {
    const place = await testPlace()
    const { server: one, refresh, answer } = await signedIn({ place })
    const other = await tokenPlatform({ place })
    let live = refresh
    for (let round = 0; round < 15; round += 1) {
      const both = await Promise.all([one, other, one, other].map(server => refreshed(server, live)))
      const successors = new Set(both.map(each => each.refresh))
      expect(successors.size).toBe(1)
      live = [...successors][0] ?? ''
    }
    expect((await statusOf(one, answer.token_id))?.revoke_time).toBeUndefined()
  })

  it('no live refresh token remains after a revocation', async () => {
    const place = await testPlace()
    const { server: one, user } = await signedIn({ place })
    const other = await tokenPlatform({ place })
    for (let round = 0; round < 10; round += 1) {
      const first = await one.signIn('kim@example.test', password)
      const { refresh } = sessionTokens(first)
      const principal = { id: user, kind: 'user' } as const
      const context = callContext(one.time.now, { principal })
      const [rotated] = await Promise.all([
        other.refresh(refresh).catch(() => undefined),
        valueOf(one.tokens.revokeToken({ body: { token_id: first.token_id } }, context)),
      ])
      expect(await statusOf(one, first.token_id)).toMatchObject({ revoke_reason: 'LOGOUT' })
      const live = rotated?.refresh_token ?? refresh
      expect(await outcomeOf(other.refresh(live))).toBe('REFRESH_TOKEN_INVALID')
      expect(await one.admission(rotated?.access_token ?? first.access_token)).toBe('TOKEN_REVOKED')
    }
  })

  it('a user keeps the 20 newest live sessions, however many are opened concurrently', async () => {
    const server = await tokenPlatform({ limits: noLimits })
    const user = await addUser(server, 'kim@example.test', password)
    const early = await server.signIn('kim@example.test', password)
    server.time.now += 1000
    const later = await Promise.all(Array.from({ length: 24 }, () => server.signIn('kim@example.test', password)))
    const listed = await server.list({ filter: 'status = ACTIVE', page_size: 100 }, { id: user, kind: 'user' })
    expect(listed).toHaveLength(20)
    const ended = await server.list({ filter: 'status = REVOKED', page_size: 100 }, { id: user, kind: 'user' })
    expect(ended.map(({ revoke_reason }) => revoke_reason)).toEqual(Array.from({ length: 5 }, () => 'SESSION_LIMIT'))
    expect(await server.admission(early.access_token)).toBe('TOKEN_REVOKED')
    const refused = await Promise.all(later.map(({ access_token }) => server.admission(access_token)))
    expect(refused.filter(reason => reason !== 'OK')).toHaveLength(4)
    expect((await server.store.get(users, user))?.value.last_authenticate_time).toBeDefined()
  })
})
