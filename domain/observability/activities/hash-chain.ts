import { createHash } from 'node:crypto'
import type { Activity } from '../../../output/observability/types.ts'
import { canonical } from '../../../runtime/validation.ts'
import type { ActivityChain, StoredActivity } from './activities-store.ts'

/** An activity before it has a place in a chain. */
export type UnchainedActivity = Omit<StoredActivity, 'sequence' | 'previous_hash' | 'hash'>

/** Returns a chain without activities. */
export function newChain(id: string): ActivityChain {
  const hash = '0'.repeat(64)
  return { id, first_sequence: 1, first_previous_hash: hash, sequence: 0, hash }
}

/** Returns an activity with its place after the last activity of a chain. */
export function chained(activity: UnchainedActivity, { hash, sequence }: ActivityChain): StoredActivity {
  const placed = { ...activity, sequence: sequence + 1, previous_hash: hash, hash: '' }
  return { ...placed, hash: hashOf(placed) }
}

/**
 * Returns the hash of an activity in lower-case hex: the SHA-256 of `previous_hash` and the RFC 8785 JSON of the
 * activity without `previous_hash` and `hash`. All members are texts, lists of texts or integers, for which the text of
 * `canonical` is that of RFC 8785.
 */
export function hashOf({ chain_id: _chain, hash: _hash, previous_hash, ...activity }: StoredActivity): string {
  const content: Omit<Activity, 'previous_hash' | 'hash'> = activity
  return createHash('sha256')
    .update(previous_hash + canonical(content))
    .digest('hex')
}
