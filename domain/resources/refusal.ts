import { ApiError } from '../../runtime/errors.ts'

/**
 * The error that a check throws before a transaction, so that the transaction can throw it: a repeated call is answered by
 * the operation that is recorded, whatever the check has to say by then (conventions §4). Undefined: the check passes.
 * Throws what is no `ApiError`.
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
