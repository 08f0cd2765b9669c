import { ApiError } from '../../runtime/errors.ts'
import { JsonText, type Answer } from '../../runtime/json.ts'

/** Returns the result of a handler as a value, parsed if the result is JSON text. */
export async function valueOf<T>(answer: Promise<Answer<T>>): Promise<T> {
  const given = await answer
  return given instanceof JsonText ? JSON.parse(given.text) : given
}

/** Returns `OK` for any result, or the reason of an `ApiError`; rethrows other errors. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'OK'
  } catch (error) {
    if (error instanceof ApiError) return error.reason
    throw error
  }
}
