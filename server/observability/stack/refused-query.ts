import { queryExecutionFailed, queryTimeout, queryTypeInvalid } from '../../../output/observability/errors.ts'
import { limitExceeded } from '../../../domain/observability/promql/evaluation/query-budget.ts'
import type { MemberClient } from './member-client.ts'

/**
 * Returns the error of a query that a member refuses with a status. The text of the member stays inside: it may name its
 * own hosts.
 */
export function refusedQuery(client: MemberClient, status: number): Error {
  if (status === 400) {
    const description = 'is not a query that the engine evaluates'
    return queryTypeInvalid(`query ${description}`, { badRequest: [{ field: 'query', description }] })
  }
  if (status === 422) {
    const description = 'the engine cannot evaluate the query over its data'
    return queryExecutionFailed(description, { precondition: [{ type: 'QUERY', subject: 'query', description }] })
  }
  return client.unavailable(`answers with status ${status}`)
}

/**
 * Returns the error of a request for series or traces that a member refuses with a status. Members answer 422 if there is
 * more than their limits allow.
 */
export const refusedReading = (client: MemberClient, status: number): Error =>
  status === 422
    ? limitExceeded('engine', 'the engine does not read so much at one time; ask for less')
    : client.unavailable(`answers with status ${status}`)

/** Returns the error of a request that selects series, entries or traces by a query, as `refusedReading`. */
export const refusedSearch = (client: MemberClient, status: number): Error =>
  status === 400 ? refusedQuery(client, status) : refusedReading(client, status)

/** The error of a query that did not end in its time. */
export const lateQuery = (): Error => queryTimeout('the engine did not end the query in its time')
