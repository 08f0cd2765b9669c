import { queryExecutionFailed, queryTimeout, queryTypeInvalid } from '../../../output/observability/errors.ts'
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

/** The error of a query that did not end in its time. */
export const lateQuery = (): Error => queryTimeout('the engine did not end the query in its time')
