import { ApiError } from '../../../../../runtime/errors.ts'

/** The error of a query. */
export interface QueryFailure {
  readonly reason: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Returns the error that a function throws; the reason `none` if it throws none. Throws errors that are not documented. */
export function failureOf(run: () => unknown): QueryFailure {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return { reason: error.reason, metadata: error.metadata }
    throw error
  }
  return { reason: 'none', metadata: {} }
}
