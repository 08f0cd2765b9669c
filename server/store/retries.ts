import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, commonReasons } from '../../runtime/errors.ts'

/** The number of attempts before the store gives up (conventions §16). */
const maxAttempts = 10

/**
 * Runs `attempt`, repeats it after a temporary failure, and returns its result. Throws ENGINE_UNAVAILABLE after
 * `maxAttempts` failures.
 */
export async function inAttempts<R>(attempt: () => Promise<R>, isPassing: (error: unknown) => boolean): Promise<R> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isPassing(error)) throw error
      if (count >= maxAttempts) throw storeUnavailable(undefined, error)
      await sleep(backOffMs(count))
    }
  }
}

/** Returns the error of a store that cannot be used at present, with a retry in a second. The caller gets no cause. */
export function storeUnavailable(message = 'the store is busy; try again', cause?: unknown): ApiError {
  const error = new ApiError(commonReasons.ENGINE_UNAVAILABLE, message, {}, { retryAfterSeconds: 1 })
  if (cause !== undefined) error.cause = cause
  return error
}

/**
 * Returns a random delay in milliseconds from 5 to a bound, which doubles with each attempt from 10 up to 200, so that
 * two transactions in conflict do not collide again.
 */
function backOffMs(attempt: number): number {
  const most = Math.min(200, 5 * 2 ** attempt)
  return 5 + Math.random() * (most - 5)
}
