import { ApiError } from '../../runtime/errors.ts'
import { JsonText, type Answer } from '../../runtime/json.ts'

/** What a handler answers, as its caller has it. */
export async function valueOf<T>(answer: Promise<Answer<T>>): Promise<T> {
  const given = await answer
  return given instanceof JsonText ? JSON.parse(given.text) : given
}

/** `OK`, whatever was answered, or the reason of the error. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'OK'
  } catch (error) {
    if (error instanceof ApiError) return error.reason
    throw error
  }
}
