import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, commonReasons } from '../../runtime/errors.ts'

/** How often something runs before the store gives up (conventions §16). */
const maxAttempts = 10

/** Runs `attempt`, and again after a failure that passes; ENGINE_UNAVAILABLE when it was refused too often. */
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

/** The answer when the store cannot be used for now: try again in a second. Callers are not told the cause. */
export function storeUnavailable(message = 'the store is busy; try again', cause?: unknown): ApiError {
  const error = new ApiError(commonReasons.ENGINE_UNAVAILABLE, message, {}, { retryAfterSeconds: 1 })
  if (cause !== undefined) error.cause = cause
  return error
}

/** 5 to 200 ms, doubling, of which a random part is waited: two that collided do not meet again. */
function backOffMs(attempt: number): number {
  const most = Math.min(200, 5 * 2 ** attempt)
  return 5 + Math.random() * (most - 5)
}
