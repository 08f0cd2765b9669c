import { ApiError } from '../../../runtime/errors.ts'

/** The time until the end, in milliseconds. */
const soonMs = 1000

/**
 * Makes a resource that ends soon, and returns the answer of the call. The call is repeated with a later end as long as a
 * busy machine delays it beyond the end, which is refused with EXPIRE_TIME_IN_PAST.
 */
export async function endingSoon<T>(call: (expire_time: string) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call(new Date(Date.now() + soonMs).toISOString())
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'EXPIRE_TIME_IN_PAST') throw error
    }
  }
}
