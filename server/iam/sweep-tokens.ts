import { credentialTokens } from '../../domain/iam/collections/credential-tokens-store.ts'
import { spentAssertions } from '../../domain/iam/collections/account-keys-store.ts'
import { signingKeys } from '../../domain/iam/collections/signing-keys-store.ts'
import { throttles } from '../../domain/iam/sign-in/throttle-store.ts'
import { spentRefreshTokens, tokens } from '../../domain/iam/collections/tokens-store.ts'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Collection } from '../../domain/ports/store.ts'
import { column, compareTime } from '../store/row-filters.ts'
import type { Turn, Worker } from '../../domain/ports/workers.ts'
import { deleteAll } from '../operations/sweep.ts'

/** The interval of the sweep, in milliseconds. */
const everyMs = 10 * 60 * 1000

/** Returns the worker that runs `sweepTokens` every ten minutes. */
export const tokenSweeper = (clock: Clock): Worker => ({
  name: 'iam.tokens',
  everyMs,
  run: turn => sweepTokens(turn, clock.now()),
})

/** The collections whose rows become outdated, each with the column of the time. */
const kept: readonly (readonly [collection: Collection<never>, time: string])[] = [
  [spentRefreshTokens, 'expire_time'],
  [spentAssertions, 'expire_time'],
  [credentialTokens, 'expire_time'],
  [throttles, 'expire_time'],
  [signingKeys, 'not_after'],
  [tokens, 'keep_until'],
]

/**
 * Deletes rows that are outdated at `now`, in milliseconds since 1970: tokens that ended 30 days ago, digests of spent
 * refresh tokens, assertions and credential tokens, failures that no longer count, and keys whose last token has
 * expired.
 */
export async function sweepTokens(turn: Turn, now: number): Promise<void> {
  for (const [collection, name] of kept) {
    const time = column(name, 'TIMESTAMP')
    await deleteAll(turn, collection, time, compareTime(time, '<', now))
  }
}
