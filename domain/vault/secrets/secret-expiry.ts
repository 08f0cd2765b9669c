import type { Secret } from '../../../output/vault/types.ts'
import { secretNotFound } from '../../../output/vault/errors.ts'
import type { Filter, FilterField } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { formatMillis, storedTimestamp } from '../../../runtime/timestamps.ts'

const expireTime: FilterField = { name: 'expire_time', type: 'TIMESTAMP', operators: [] }

/** Whether a secret has expired at a time in milliseconds since 1970; an expired secret counts as absent. */
export const isExpired = ({ expire_time }: Pick<Secret, 'expire_time'>, now: number): boolean =>
  expire_time !== undefined && Date.parse(expire_time) <= now

/** Throws SECRET_NOT_FOUND for an expired secret, as for an absent secret. */
export function requireUnexpired(secret: Secret, now: number): void {
  if (!isExpired(secret, now)) return
  const { id, workspace_id } = secret
  throw secretNotFound(`workspace ${workspace_id} has no secret ${id}`, {
    resource: { type: 'vault.secrets', name: id },
  })
}

/** Returns a query that leaves out expired secrets too. */
export function unexpired(query: ListQuery): ListQuery {
  const { filter, now } = query
  const alive: Filter = {
    kind: 'or',
    terms: [
      { kind: 'not', term: { kind: 'present', field: expireTime } },
      { kind: 'compare', field: expireTime, operator: '>', value: storedTimestamp(formatMillis(now)) ?? '' },
    ],
  }
  return { ...query, filter: filter === undefined ? alive : { kind: 'and', terms: [alive, filter] } }
}
