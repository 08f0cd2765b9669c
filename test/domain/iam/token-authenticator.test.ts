import { describe, expect, it } from 'vitest'
import { Authenticator } from '../../../domain/iam/sessions/token-authenticator.ts'
import { endTokensOf } from '../../../domain/iam/sessions/end-token.ts'
import { principals } from '../../../domain/iam/collections/principals-store.ts'
import { platformWorkspaceId } from '../../../domain/ports/reserved.ts'
import type { Store } from '../../../domain/ports/store.ts'
import { workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { addAccount, addUser, tokenPlatform, type TokenPlatform } from './token-platform.ts'
import { outcomeOf } from '../outcomes.ts'

const password = 'correct horse battery'

/** Returns a count of calls, and a function that wraps a store so that its calls are counted. */
function counted() {
  const calls = { count: 0 }
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          calls.count += 1
          return Reflect.apply(member, target, given)
        }
      },
    })
  return { calls, wrap }
}

async function signedIn(options: Parameters<typeof tokenPlatform>[0] = {}) {
  const server = await tokenPlatform(options)
  const user = await addUser(server, 'kim@example.test', password)
  const { access_token: token, token_id: session } = await server.signIn('kim@example.test', password)
  return { server, user, token, session }
}

/** Starts another authenticator on the store of a server, with empty caches, as after a restart. */
async function restarted({ accessTokens, parts }: TokenPlatform): Promise<Authenticator> {
  const authenticator = new Authenticator({ ...parts, accessTokens })
  await authenticator.start()
  return authenticator
}

const endAll = ({ parts, store, time }: TokenPlatform, principal: string) =>
  store.tx(tx => endTokensOf(tx, parts.feed, principal, { reason: 'ADMIN', time: formatMillis(time.now) }))

describe('the authenticator', () => {
  it('reads nothing of the store for a cached token, and takes microseconds', async () => {
    const { calls, wrap } = counted()
    const { server, token } = await signedIn({ wrap })
    const header = `Bearer ${token}`
    await server.authenticator.authenticate(header)
    calls.count = 0
    const rounds = 20_000
    const started = performance.now()
    for (let round = 0; round < rounds; round += 1) await server.authenticator.authenticate(header)
    const micros = ((performance.now() - started) * 1000) / rounds
    expect(calls.count).toBe(0)
    expect(micros).toBeLessThan(50)
  })

  it('reads nothing of the store for a new token of a user whose key is cached', async () => {
    const { calls, wrap } = counted()
    const { server, token } = await signedIn({ wrap })
    calls.count = 0
    expect(await server.admission(token)).toBe('OK')
    expect(calls.count).toBe(0)
  })

  it.each([
    ['has expired', 'TOKEN_EXPIRED', 1],
    // An invalid token is verified again after a second, which may pass on a loaded machine.
    ['is not valid', 'TOKEN_INVALID', 5],
  ])('verifies a token that %s once, not at each call', async (how, reason, most) => {
    const { server, token } = await signedIn()
    let verified = 0
    const { accessTokens } = server
    const counting = new Proxy(accessTokens, {
      get(target, name) {
        if (name !== 'verify') return Reflect.get(target, name)
        verified += 1
        return target.verify.bind(target)
      },
    })
    const authenticator = new Authenticator({ ...server.parts, accessTokens: counting })
    await authenticator.start()
    if (how === 'has expired') server.time.now += 3_600_000
    const sent = how === 'has expired' ? token : `${token.slice(0, -20)}${'A'.repeat(20)}`
    const refused = (): Promise<string> => outcomeOf(authenticator.authenticate(`Bearer ${sent}`))
    for (let call = 0; call < 20; call += 1) expect(await refused()).toBe(reason)
    expect(verified).toBeGreaterThan(0)
    expect(verified).toBeLessThanOrEqual(most)
  })

  it('refuses the tokens of a session from the commit of its revocation on, even after a restart', async () => {
    const { server, token, user } = await signedIn()
    expect(await server.admission(token)).toBe('OK')
    await endAll(server, user)
    expect(await server.admission(token)).toBe('TOKEN_REVOKED')
    const other = await restarted(server)
    expect(await outcomeOf(other.authenticate(`Bearer ${token}`))).toBe('TOKEN_REVOKED')
    server.time.now += 899_000
    expect(await server.admission(token)).toBe('TOKEN_REVOKED')
    expect(await outcomeOf((await restarted(server)).authenticate(`Bearer ${token}`))).toBe('TOKEN_REVOKED')
    server.time.now += 1000
    expect(await server.admission(token)).toBe('TOKEN_EXPIRED')
  })

  it('refuses the tokens after a restart too if the revocation took long', async () => {
    const { server, token, user } = await signedIn()
    await server.store.tx(tx =>
      endTokensOf(tx, server.parts.feed, user, { reason: 'ADMIN', time: formatMillis(server.time.now - 1_800_000) }),
    )
    expect(await outcomeOf((await restarted(server)).authenticate(`Bearer ${token}`))).toBe('TOKEN_REVOKED')
  })

  it('admits a session that was opened after the revocation of other sessions', async () => {
    const { server, user } = await signedIn()
    await endAll(server, user)
    const { access_token } = await server.signIn('kim@example.test', password)
    expect(await server.admission(access_token)).toBe('OK')
    expect(await outcomeOf((await restarted(server)).authenticate(`Bearer ${access_token}`))).toBe('OK')
  })

  it('admits no caller after missed changes before it has read the revocations from the store', async () => {
    const { server, token, user } = await signedIn()
    const other = await restarted(server)
    expect(await outcomeOf(other.authenticate(`Bearer ${token}`))).toBe('OK')
    await endAll(server, user)
    // No feed notifies `other` of the revocation.
    expect(await outcomeOf(other.authenticate(`Bearer ${token}`))).toBe('OK')
    other.reset()
    const refused = await Promise.all([1, 2, 3].map(() => outcomeOf(other.authenticate(`Bearer ${token}`))))
    expect(refused).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED', 'TOKEN_REVOKED'])
  })

  it('refuses a service account while its home workspace is not effectively ACTIVE, and after the end of the workspace', async () => {
    const server = await tokenPlatform()
    const account = await addAccount(server)
    await server.accessTokens.ready()
    const sessionId = server.parts.clock.newId()
    const subject = { principalId: account, kind: 'SERVICE_ACCOUNT', sessionId } as const
    const token = server.accessTokens.mint(subject, server.time.now)
    expect(await server.authenticator.authenticate(`Bearer ${token}`)).toEqual({
      id: account,
      kind: 'service_account',
      sessionId,
    })
    const turn = async (state: 'SUSPENDED' | 'ARCHIVED' | 'ACTIVE') => {
      await server.store.tx(async tx => {
        const row = await tx.lock(workspaces, platformWorkspaceId)
        const next = row && { ...row.value, state: `TAXONOMY_LIFECYCLE_STATE_${state}` as const }
        if (next) await tx.update(workspaces, next.id, next, row.version)
      })
      server.authenticator.changed('SCOPE', platformWorkspaceId)
      return server.admission(token)
    }
    expect([await turn('SUSPENDED'), await turn('ACTIVE'), await turn('ARCHIVED'), await turn('ACTIVE')]).toEqual([
      'TOKEN_REVOKED',
      'OK',
      'TOKEN_REVOKED',
      'OK',
    ])
    await server.store.tx(async tx => {
      const row = await tx.lock(workspaces, platformWorkspaceId)
      if (row) await tx.delete(workspaces, row.id, row.version)
    })
    server.authenticator.changed('SCOPE', platformWorkspaceId)
    expect(await server.admission(token)).toBe('TOKEN_REVOKED')
  })

  it('notices the suspension of a workspace within a second, even without a notification', async () => {
    const server = await tokenPlatform()
    const account = await addAccount(server)
    await server.accessTokens.ready()
    const sessionId = server.parts.clock.newId()
    const token = server.accessTokens.mint(
      { principalId: account, kind: 'SERVICE_ACCOUNT', sessionId },
      server.time.now,
    )
    expect(await server.admission(token)).toBe('OK')
    await server.store.tx(async tx => {
      const row = await tx.lock(workspaces, platformWorkspaceId)
      const next = row && { ...row.value, state: 'TAXONOMY_LIFECYCLE_STATE_SUSPENDED' as const }
      if (next) await tx.update(workspaces, next.id, next, row.version)
    })
    await expect.poll(() => server.admission(token), { interval: 50 }).toBe('TOKEN_REVOKED')
  })

  it('refuses the token of an unknown service account', async () => {
    const { server, user } = await signedIn()
    await server.store.tx(async tx => {
      const row = await tx.lock(principals, user)
      if (row) await tx.delete(principals, user, row.version)
    })
    const sessionId = server.parts.clock.newId()
    const token = server.accessTokens.mint({ principalId: user, kind: 'SERVICE_ACCOUNT', sessionId }, server.time.now)
    expect(await server.admission(token)).toBe('TOKEN_REVOKED')
  })
})
