import { describe, expect, it } from 'vitest'
import { spentAssertions } from '../../../domain/iam/collections/account-keys-store.ts'
import { signingKeys } from '../../../domain/iam/collections/signing-keys-store.ts'
import { throttles } from '../../../domain/iam/sign-in/throttle-store.ts'
import { spentRefreshTokens, tokens } from '../../../domain/iam/collections/tokens-store.ts'
import { sweepTokens } from '../../../server/iam/sweep-tokens.ts'
import { addUser, tokenPlatform, type TokenPlatform } from '../../domain/iam/token-platform.ts'
import { callContext } from '../../domain/iam/calls.ts'
import { outcomeOf, valueOf } from '../../domain/outcomes.ts'

const password = 'correct horse battery'
const dayMs = 24 * 60 * 60 * 1000
const kept = [tokens, spentRefreshTokens, spentAssertions, throttles, signingKeys] as const

const sweep = ({ store, time }: TokenPlatform) =>
  sweepTokens({ signal: new AbortController().signal, tx: fn => store.tx(fn) }, time.now)

const counts = ({ store }: TokenPlatform) => Promise.all(kept.map(collection => store.count<never>(collection)))

describe('sweepTokens', () => {
  it('keeps ended tokens for 30 days, and spent tokens, failures and keys as long as they matter', async () => {
    const server = await tokenPlatform()
    const user = await addUser(server, 'kim@example.test', password)
    const [used, revoked] = [
      await server.signIn('kim@example.test', password),
      await server.signIn('kim@example.test', password),
    ]
    await server.refresh(used.refresh_token ?? '')
    await outcomeOf(server.signIn('kim@example.test', 'wrong'))
    const context = callContext(server.time.now, { principal: { id: user, kind: 'user' } })
    await valueOf(server.tokens.revokeToken({ body: { token_id: revoked.token_id } }, context))
    await sweep(server)
    expect(await counts(server)).toEqual([2, 1, 0, 3, 1])
    server.time.now += dayMs
    await sweep(server)
    expect(await counts(server)).toEqual([2, 1, 0, 0, 1])
    server.time.now += 29 * dayMs + 1
    await sweep(server)
    // The session of `used` ended after 7 days without a refresh; the session of `revoked` ended on the first day.
    expect(await counts(server)).toEqual([1, 0, 0, 0, 0])
    server.time.now += 7 * dayMs
    await sweep(server)
    expect(await counts(server)).toEqual([0, 0, 0, 0, 0])
  })
})
