import { ApiError } from '../../runtime/errors.ts'

/**
 * Returns the `ApiError` of a failed check, undefined if the check passes, and throws any other error. A check that
 * runs before a transaction must not throw: a repeated call returns its recorded operation, even if the check fails now
 * (conventions §4).
 */
export async function refusalOf(check: Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await check
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
