import { describe, expect, it } from 'vitest'
import type { Passwords } from '../../../domain/iam/interfaces/passwords.ts'
import { networkOf } from '../../../domain/addresses/networks.ts'
import { passwords, users } from '../../../domain/iam/collections/users-store.ts'
import { authenticate } from '../../../domain/iam/sign-in/password-sign-in.ts'
import { throttles } from '../../../domain/iam/sign-in/throttle-store.ts'
import { iam } from '../../../output/iam/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { toStatus } from '../../../runtime/status.ts'
import { testPlace } from '../../server/store/harness.ts'
import { addUser, someAddress, tokenPlatform, type TokenPlatform } from './token-platform.ts'
import { callContext } from './calls.ts'
import { outcomeOf } from '../outcomes.ts'

const password = 'correct horse battery'
const known = 'kim@example.test'
const unknown = 'nobody@example.test'
const minuteMs = 60_000

async function platformWithKim(options: Parameters<typeof tokenPlatform>[0] = {}) {
  const server = await tokenPlatform(options)
  return { server, user: await addUser(server, known, password) }
}

const fail = (server: TokenPlatform, email: string, clientAddress: string): Promise<string> =>
  outcomeOf(server.signIn(email, 'wrong', { clientAddress }))

async function failTimes(server: TokenPlatform, email: string, clientAddress: string, times: number) {
  const reasons: string[] = []
  for (let i = 0; i < times; i += 1) reasons.push(await fail(server, email, clientAddress))
  return reasons
}

/** Returns the body of a refusal; throws if the call succeeds. */
async function bodyOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error('the call was not refused')
  return JSON.stringify(toStatus(error, iam))
}

describe('signing in', () => {
  it('returns the tokens of a new session, whatever the case of the address', async () => {
    const { server, user } = await platformWithKim()
    expect(await server.signIn('KIM@Example.TEST', password)).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: expect.stringMatching(/^rt1\.[\da-f-]{36}\.[\w-]{43}$/),
      refresh_expires_in: 2_592_000,
      token_id: expect.any(String),
      principal_id: user,
    })
    const found = (await server.activities()).map(({ action, category, outcome, principal_id, resource_id }) => {
      return { action, category, outcome, principal_id, resource_id }
    })
    expect(found).toEqual([
      {
        action: 'authenticate',
        category: 'AUTHENTICATION',
        outcome: 'SUCCEEDED',
        principal_id: user,
        resource_id: user,
      },
    ])
  })

  it('refuses every other attempt with the same response', async () => {
    const { server } = await platformWithKim()
    await addUser(server, 'new@example.test', password, { status: 'INVITED' })
    await addUser(server, 'gone@example.test', password, { status: 'DEACTIVATED' })
    const empty = await addUser(server, 'empty@example.test', password)
    await server.store.tx(async tx => {
      const row = await tx.lock(passwords, empty)
      if (row) await tx.update(passwords, empty, { ...row.value, hash: '' }, row.version)
    })
    const tries = [known, unknown, 'new@example.test', 'gone@example.test', 'empty@example.test', 'empty@example.test']
    const given = ['wrong', password, password, password, password, '']
    const bodies = await Promise.all(tries.map((email, i) => bodyOf(server.signIn(email, given[i] ?? ''))))
    expect(new Set(bodies).size).toBe(1)
    expect(bodies[0]).toContain('INVALID_CREDENTIALS')
    const denied = (await server.activities()).filter(({ outcome }) => outcome === 'DENIED')
    expect(denied).toHaveLength(tries.length)
    expect(JSON.stringify(denied)).not.toContain('nobody')
    expect(denied.every(({ principal_id, reason }) => principal_id === '' && reason === 'INVALID_CREDENTIALS')).toBe(
      true,
    )
  })

  it('verifies one hash for each attempt, whether the address exists or not', async () => {
    const verified: (string | undefined)[] = []
    const counting: Passwords = {
      requireRoom() {},
      hash: async text => `$2$${text}`,
      verify: async hash => verified.push(hash) < 0,
      isOutdated: () => false,
      weakness: async () => undefined,
      async store() {},
    }
    const { server } = await platformWithKim({ passwords: counting })
    await addUser(server, 'gone@example.test', password, { status: 'DEACTIVATED' })
    for (const email of [known, unknown, 'gone@example.test']) await fail(server, email, someAddress())
    expect(verified).toEqual([`$2$${password}`, undefined, undefined])
  })

  it.each(['deactivated', 'given another password', 'given another address'])(
    'opens no session for a user who was %s during the verification of the password',
    async change => {
      let meanwhile: () => Promise<void> = async () => undefined
      const slow: Passwords = {
        requireRoom() {},
        hash: async text => `$2$${text}`,
        async verify() {
          await meanwhile()
          return true
        },
        isOutdated: () => false,
        weakness: async () => undefined,
        async store() {},
      }
      const { server, user } = await platformWithKim({ passwords: slow })
      meanwhile = () =>
        server.store.tx(async tx => {
          const [row, secret] = [await tx.lock(users, user), await tx.lock(passwords, user)]
          if (!row || !secret) return
          if (change === 'deactivated')
            await tx.update(users, user, { ...row.value, status: 'DEACTIVATED' }, row.version)
          else if (change === 'given another address')
            await tx.update(users, user, { ...row.value, email: 'other@example.test' }, row.version)
          else await tx.update(passwords, user, { ...secret.value, hash: '$2$other' }, secret.version)
        })
      expect(await outcomeOf(server.signIn(known, password))).toBe('INVALID_CREDENTIALS')
      expect(await server.list({}, { id: user, kind: 'user' })).toEqual([])
    },
  )

  it('hashes the password again when the parameters have changed, without an entry in the history', async () => {
    const { server, user } = await platformWithKim()
    await server.store.tx(async tx => {
      const row = await tx.lock(passwords, user)
      if (row) await tx.update(passwords, user, { ...row.value, hash: `$1$${password}` }, row.version)
    })
    await server.signIn(known, password)
    expect((await server.store.get(passwords, user))?.value).toEqual({ id: user, hash: `$2$${password}`, history: [] })
    expect(await outcomeOf(server.signIn(known, password))).toBe('OK')
  })

  it('does not count an attempt that was refused for lack of room', async () => {
    const busy: Passwords = {
      requireRoom() {},
      hash: async text => `$2$${text}`,
      async verify() {
        throw new ApiError({ reason: 'AUTHENTICATION_THROTTLED', rpc: 'RESOURCE_EXHAUSTED' }, 'busy')
      },
      isOutdated: () => false,
      weakness: async () => undefined,
      async store() {},
    }
    const { server } = await platformWithKim({ passwords: busy })
    for (let i = 0; i < 8; i += 1) await fail(server, known, '192.0.2.1')
    expect(await server.store.count(throttles)).toBe(0)
  })

  it('refuses an attempt for lack of room before it reads or writes the store', async () => {
    const { server } = await platformWithKim()
    const busy = new ApiError({ reason: 'AUTHENTICATION_THROTTLED', rpc: 'RESOURCE_EXHAUSTED' }, 'busy')
    const unused = new Proxy(server.store, {
      get() {
        throw new Error('the store was used')
      },
    })
    const hashing: Passwords = {
      ...server.parts.passwords,
      requireRoom() {
        throw busy
      },
    }
    const parts = { ...server.parts, store: unused, passwords: hashing }
    await expect(authenticate(parts, { body: { email: known, password } }, callContext(server.time.now))).rejects.toBe(
      busy,
    )
  })
})

describe('the throttle', () => {
  it('refuses the 6th attempt for a known and for an unknown address with the same response, even with the right password', async () => {
    const { server } = await platformWithKim()
    const wrong = Array.from({ length: 5 }, () => 'INVALID_CREDENTIALS')
    expect(await failTimes(server, known, '192.0.2.1', 5)).toEqual(wrong)
    expect(await failTimes(server, unknown, '192.0.2.1', 5)).toEqual(wrong)
    const bodies = [await bodyOf(server.signIn(known, password)), await bodyOf(server.signIn(unknown, password))]
    expect(bodies[0]).toBe(bodies[1])
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
      code: 8,
      details: [{ reason: 'AUTHENTICATION_THROTTLED', metadata: { code: '2009002' } }, { retry_delay: '60s' }],
    })
    expect(await server.parts.throttle.waits([known, unknown, 'free@example.test'], server.time.now)).toEqual(
      new Map([known, unknown].map(email => [email, '2026-05-01T12:01:00.000Z'])),
    )
    server.time.now += minuteMs
    expect(await outcomeOf(server.signIn(known, password))).toBe('OK')
    expect((await server.parts.throttle.waits([known], server.time.now)).size).toBe(0)
  })

  it('counts concurrent guesses on two servers before any of them has failed', async () => {
    const place = await testPlace()
    const { server: one } = await platformWithKim({ place })
    const other = await tokenPlatform({ place })
    const reasons = await Promise.all(
      Array.from({ length: 20 }, (_, i) => fail(i % 2 === 0 ? one : other, known, '192.0.2.1')),
    )
    expect(reasons.filter(reason => reason === 'INVALID_CREDENTIALS')).toHaveLength(5)
  })

  it('takes a successful attempt back, and deletes the failures from that network alone', async () => {
    const { server } = await platformWithKim()
    await failTimes(server, known, '192.0.2.1', 4)
    await failTimes(server, known, '198.51.100.1', 4)
    expect(await outcomeOf(server.signIn(known, password, { clientAddress: '192.0.2.9' }))).toBe('OK')
    expect(await failTimes(server, known, '192.0.2.1', 4)).not.toContain('AUTHENTICATION_THROTTLED')
    await fail(server, known, '198.51.100.1')
    expect(await fail(server, known, '198.51.100.2')).toBe('AUTHENTICATION_THROTTLED')
  })

  it('delays an address after 50 failures from any network, but not on the network of its user', async () => {
    const { server } = await platformWithKim()
    const home = '203.0.113.5'
    await server.signIn(known, password, { clientAddress: home })
    for (let i = 0; i < 50; i += 1) await fail(server, known, someAddress())
    const elsewhere = { clientAddress: someAddress() }
    expect(await bodyOf(server.signIn(known, password, elsewhere))).toContain('"3600s"')
    expect(await outcomeOf(server.signIn(known, password, { clientAddress: '203.0.113.200' }))).toBe('OK')
    server.time.now += 60 * minuteMs
    expect(await outcomeOf(server.signIn(known, password, elsewhere))).toBe('OK')
  })

  it('delays an unknown address after 50 failures too', async () => {
    const { server } = await platformWithKim()
    for (let i = 0; i < 50; i += 1) await fail(server, unknown, someAddress())
    expect(await fail(server, unknown, someAddress())).toBe('AUTHENTICATION_THROTTLED')
  })

  it('delays a network after 100 failures for any addresses, and credential tokens after 20', async () => {
    const { server } = await platformWithKim()
    for (let i = 0; i < 100; i += 1) await fail(server, `user${i}@example.test`, '192.0.2.1')
    expect(await bodyOf(server.signIn(known, password, { clientAddress: '192.0.2.77' }))).toContain('"300s"')
    expect(await outcomeOf(server.signIn(known, password, { clientAddress: '192.0.3.1' }))).toBe('OK')
    const context = callContext(server.time.now, { clientAddress: '2001:db8::1' })
    const { throttle } = server.parts
    for (let i = 0; i < 30; i += 1) await (await throttle.credentialToken(context)).succeed()
    for (let i = 0; i < 20; i += 1) await throttle.credentialToken(context)
    const same = callContext(server.time.now, { clientAddress: '2001:db8::ffff' })
    expect(await bodyOf(throttle.credentialToken(same))).toContain('"60s"')
    const other = callContext(server.time.now, { clientAddress: '2001:db8:0:1::1' })
    expect(await outcomeOf(throttle.credentialToken(other))).toBe('OK')
  })

  it('stores nothing and refuses no caller where its limits are 0', async () => {
    const { server } = await platformWithKim({
      limits: { email_network: 0, email: 0, network: 0, credential_token: 0 },
    })
    expect(await failTimes(server, known, '192.0.2.1', 30)).not.toContain('AUTHENTICATION_THROTTLED')
    expect(await server.store.count(throttles)).toBe(0)
  })

  it('stores neither addresses nor networks', async () => {
    const { server } = await platformWithKim()
    await failTimes(server, 'secret.name@example.test', '192.0.2.1', 3)
    for await (const { text } of server.store.each(throttles)) expect(text.text).not.toMatch(/secret|example|192\.0/)
  })
})

describe('networkOf', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['', ''],
    ['no address', ''],
  ])('of %j is %j', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
