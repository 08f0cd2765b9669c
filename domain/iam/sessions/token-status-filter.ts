import type { Filter } from '../../../runtime/filter/types.ts'
import { compareTime } from '../values/time-filters.ts'
import { createdField, expireTimeField, idleExpireTimeField, revokeTimeField } from '../collections/tokens-store.ts'

type Status = 'ACTIVE' | 'EXPIRED' | 'REVOKED'

/**
 * Returns a checked filter over tokens with `status` replaced by comparisons of the stored time of revocation and of
 * the two expiry times. `now` is in milliseconds since 1970.
 */
export function withStoredStatus(filter: Filter, now: number): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, terms: filter.terms.map(term => withStoredStatus(term, now)) }
    case 'not':
      return not(withStoredStatus(filter.term, now))
    case 'compare': {
      if (filter.field.name !== 'status') return filter
      const isStatus = statusFilter(String(filter.value), now)
      return filter.operator === '!=' ? not(isStatus) : isStatus
    }
    case 'present':
      // Every token has a status, so a test for its presence becomes a test for `created`, which every token has.
      return filter.field.name === 'status' ? { kind: 'present', field: createdField } : filter
    default:
      return filter
  }
}

function statusFilter(status: string, now: number): Filter {
  const isRevoked: Filter = { kind: 'present', field: revokeTimeField }
  const hasLapsed: Filter = {
    kind: 'or',
    terms: [compareTime(expireTimeField, '<=', now), compareTime(idleExpireTimeField, '<=', now)],
  }
  const filters: Readonly<Record<Status, Filter>> = {
    REVOKED: isRevoked,
    EXPIRED: { kind: 'and', terms: [not(isRevoked), hasLapsed] },
    ACTIVE: { kind: 'and', terms: [not(isRevoked), not(hasLapsed)] },
  }
  return status === 'REVOKED' || status === 'EXPIRED' ? filters[status] : filters.ACTIVE
}

const not = (term: Filter): Filter => ({ kind: 'not', term })
