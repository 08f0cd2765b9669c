import type { Reader } from '../../ports/store.ts'
import { compareTime } from '../values/time-filters.ts'
import { createdField, lastRefreshTimeField, tokens } from '../collections/tokens-store.ts'
import { users } from '../collections/users-store.ts'

/** The time for which a network counts as known for a user, in milliseconds. */
const knownMs = 30 * 24 * 60 * 60 * 1000

/** An id that no user has. The reads for an unknown address use this id, so that they take the same time. */
const nobody = ''

/**
 * Returns whether the user with an address opened or refreshed a session from a network in the last 30 days. `now` is
 * in milliseconds since 1970.
 */
export async function hasSessionFrom(reader: Reader, email: string, network: string, now: number): Promise<boolean> {
  const user = await reader.find(users, { email })
  const since = now - knownMs
  const terms = [compareTime(createdField, '>', since), compareTime(lastRefreshTimeField, '>', since)]
  const order = [{ field: createdField, descending: true }]
  const query = { size: 1, filter: { kind: 'or', terms } as const, order, after: undefined, now }
  const { items } = await reader.page(tokens, query, { principal_id: user?.id ?? nobody, network })
  return items.length > 0
}
