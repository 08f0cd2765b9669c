import type { RevokeReason } from '../../../output/iam/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Feed } from '../interfaces/feed.ts'
import { keptMs } from '../values/token-lives.ts'
import { statusAt, tokens, unrevokedOf } from '../collections/tokens-store.ts'

/** The reason and time of a revocation. */
export interface Revocation {
  readonly reason: RevokeReason
  /** The time of the revocation in RFC 3339. */
  readonly time: string
}

/**
 * Revokes an ACTIVE token in the transaction of the caller, which has locked the feed, and records the change in the
 * feed. Returns the new revision; undefined if the token has ended or does not exist.
 */
export async function endToken(
  tx: Transaction,
  feed: Feed,
  id: string,
  { reason, time }: Revocation,
): Promise<number | undefined> {
  const stored = await tx.lock(tokens, id)
  const now = Date.parse(time)
  if (!stored || statusAt(stored.value, now) !== 'ACTIVE') return undefined
  const { refresh: _digests, ...kept } = stored.value
  const keep_until = formatMillis(now + keptMs)
  await tx.update(tokens, id, { ...kept, revoke_time: time, revoke_reason: reason, keep_until }, stored.version)
  return feed.revise(tx, 'SESSION', id)
}

/** Revokes all ACTIVE tokens of a principal except `except`, as `endToken` does. */
export async function endTokensOf(
  tx: Transaction,
  feed: Feed,
  principal: string,
  revocation: Revocation,
  except?: string,
): Promise<void> {
  for await (const { id } of tx.each(tokens, unrevokedOf(principal))) {
    if (id !== except) await endToken(tx, feed, id, revocation)
  }
}
