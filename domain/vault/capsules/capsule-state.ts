import type { Capsule } from '../../../output/vault/types.ts'
import type { Filter, FilterField } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { formatMillis, storedTimestamp } from '../../../runtime/timestamps.ts'
import { capsuleState, type StoredCapsule } from './capsules-store.ts'

/** Returns the state of a capsule at a time: an active capsule expires by the clock, before a worker records it. */
export const stateAt = ({ expire_time, state }: StoredCapsule, now: number): Capsule['state'] =>
  state === capsuleState('ACTIVE') && Date.parse(expire_time) <= now ? capsuleState('EXPIRED') : state

const expireTime: FilterField = { name: 'expire_time', type: 'TIMESTAMP', operators: [] }

/** Returns a query that filters by the state at the time of the query, not by the recorded state. */
export function byStateAt(query: ListQuery): ListQuery {
  const { filter, now } = query
  return filter === undefined ? query : { ...query, filter: rewritten(filter, now) }
}

function rewritten(filter: Filter, now: number): Filter {
  if (filter.kind === 'and' || filter.kind === 'or')
    return { ...filter, terms: filter.terms.map(term => rewritten(term, now)) }
  if (filter.kind === 'not') return { ...filter, term: rewritten(filter.term, now) }
  if (filter.kind !== 'compare' || filter.field.name !== 'state') return filter
  const { operator, value } = filter
  const equal: Filter = { ...filter, operator: '=' }
  const atTime = stateFilter(equal, String(value), now)
  return operator === '=' ? atTime : operator === '!=' ? { kind: 'not', term: atTime } : filter
}

/** Returns the filter of a state, given the filter that compares the recorded state with it. */
function stateFilter(recorded: Filter & { readonly kind: 'compare' }, state: string, now: number): Filter {
  const alive: Filter = {
    kind: 'compare',
    field: expireTime,
    operator: '>',
    value: storedTimestamp(formatMillis(now)) ?? '',
  }
  if (state === capsuleState('ACTIVE')) return { kind: 'and', terms: [recorded, alive] }
  if (state !== capsuleState('EXPIRED')) return recorded
  const active: Filter = { ...recorded, value: capsuleState('ACTIVE') }
  return { kind: 'or', terms: [recorded, { kind: 'and', terms: [active, { kind: 'not', term: alive }] }] }
}
