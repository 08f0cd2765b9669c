import { ApiError, clientReasons } from './errors.ts'

/** The clock, the random source and the timer of a transport; tests pass their own. */
export interface Timing {
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number
  /** Returns a number from 0 to below 1. */
  readonly random: () => number
  /** Resolves after `ms`, or as soon as `signal` aborts. `signal` must not be aborted at the call. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The clock, the random source and the timer of the machine. */
export const realTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, timerMs(ms))
      signal.addEventListener('abort', () => resolve(clearTimeout(timer)))
    }),
}

/**
 * The full budget of retries, and the refund for a success. A retry costs 1; a success gives back the refund and the
 * cost of the call's own retries. If all calls fail, the budget is soon spent, and retries add no load. If one of two
 * servers fails and retries reach the other server, retries continue.
 */
const budgetSize = 10
const refund = 0.1

/** Creates a budget: the number of retries that all calls of a transport may still make. */
export const createBudget = (): { left: number } => ({ left: budgetSize })

/**
 * Returns the delay before retry `attempt` (from 0) after this error, in milliseconds: a random part of the back-off
 * ("full jitter") beyond the time that the server asks for. Infinity if a retry is useless; its safety is not checked
 * here.
 */
export function retryDelay(error: unknown, attempt: number, random: () => number): number {
  if (!(error instanceof ApiError)) return Infinity
  const asked = error.details.retryAfterSeconds
  const isPassing = error.rpc === 'UNAVAILABLE' || (error.rpc === 'RESOURCE_EXHAUSTED' && asked !== undefined)
  return isPassing ? (asked ?? 0) * 1000 + random() * backOff(attempt, 100) : Infinity
}

/**
 * Returns the delay before retry `attempt` (from 0) in milliseconds: `firstMs`, doubled with each attempt, at most 5 s.
 */
export const backOff = (attempt: number, firstMs: number): number => Math.min(5000, firstMs * 2 ** attempt)

/** The limits of the attempts of one call. */
export interface Persistence {
  readonly retries: number
  readonly deadline: number
  readonly signal: AbortSignal
  readonly budget: ReturnType<typeof createBudget>
  readonly timing: Timing
}

/**
 * Repeats `run` until it succeeds, and returns its result. Rejects with the last error if no retry is useful or
 * possible: after `retries` retries, without budget, or if the delay would pass `deadline` (in milliseconds of the
 * clock). Rejects with the signal's reason after an abort.
 */
export async function persist<T>(
  run: () => Promise<T>,
  { budget, deadline, retries, signal, timing: { now, random, sleep } }: Persistence,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await run()
      budget.left = Math.min(budgetSize, budget.left + attempt + refund)
      return result
    } catch (error) {
      signal.throwIfAborted()
      const delay = retryDelay(error, attempt, random)
      if (attempt >= retries || budget.left < 1 || now() + delay >= deadline) throw error
      budget.left -= 1
      await sleep(delay, signal)
      signal.throwIfAborted()
    }
  }
}

/** Returns the error of a task that has not ended within its time limit. */
export const deadlineExceeded = (what: string, ms: number): ApiError =>
  new ApiError(clientReasons.DEADLINE_EXCEEDED, `${what} took longer than ${ms} ms`)

/**
 * Runs `task` with a signal that aborts with `outer` or after `ms`. After the abort, rejects at once with the signal's
 * reason, which is DEADLINE_EXCEEDED of `what` after the time limit. After a success of `task`, only `outer` still
 * aborts the result.
 */
export async function within<T>(
  ms: number,
  what: string,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const expiry = new AbortController()
  const signal = outer ? AbortSignal.any([outer, expiry.signal]) : expiry.signal
  signal.throwIfAborted()
  const timer = setTimeout(() => expiry.abort(deadlineExceeded(what, ms)), timerMs(ms))
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  try {
    return await Promise.race([task(signal), aborted])
  } catch (error) {
    // Aborts the remaining work of a failed task, such as sending a body.
    expiry.abort()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a delay that a timer can hold: a delay of more than 31 bits would end at once. */
const timerMs = (ms: number): number => Math.min(ms, 2 ** 31 - 1)
