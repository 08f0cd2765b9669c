import { ApiError } from '../../../../runtime/errors.ts'

/**
 * Parses a query and drops the result. Throws the faults of the query, but for constructs that the platform does not
 * evaluate itself: other evaluators may know them.
 */
export function requireKnownFaults(parse: () => unknown): void {
  try {
    parse()
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'QUERY_FEATURE_UNSUPPORTED') throw error
  }
}
