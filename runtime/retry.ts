import { ApiError, clientReasons } from './errors.ts'

/** Time and chance as a transport sees them; tests give their own. */
export interface Timing {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** 0 to below 1. */
  readonly random: () => number
  /** Resolves after `ms`, or when `signal` aborts, which it has not yet. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The clock, chance and timers of the machine. */
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
 * A retry costs 1; a success gives 0.1 back and what its own retries cost. When all calls fail, retries soon end instead
 * of adding to the load; where one of two servers is away, which retries make up for, they go on.
 */
const budgetSize = 10
const refund = 0.1

/** How many retries the calls of one transport have left together. */
export const createBudget = (): { left: number } => ({ left: budgetSize })

/**
 * Milliseconds to wait before retry `attempt` (from 0) after this error: a random part of the back-off ("full jitter")
 * on top of what the server asks. Infinity when a retry is not worth it; whether it is safe is not asked here.
 */
export function retryDelay(error: unknown, attempt: number, random: () => number): number {
  if (!(error instanceof ApiError)) return Infinity
  const asked = error.details.retryAfterSeconds
  const isPassing = error.rpc === 'UNAVAILABLE' || (error.rpc === 'RESOURCE_EXHAUSTED' && asked !== undefined)
  return isPassing ? (asked ?? 0) * 1000 + random() * backOff(attempt, 100) : Infinity
}

/** The milliseconds of the first attempt, doubled `attempt` times, at most 5 s. */
export const backOff = (attempt: number, firstMs: number): number => Math.min(5000, firstMs * 2 ** attempt)

/** What bounds the tries of one call. */
export interface Persistence {
  readonly retries: number
  readonly deadline: number
  readonly signal: AbortSignal
  readonly budget: ReturnType<typeof createBudget>
  readonly timing: Timing
}

/** Runs `run` until it succeeds; rejects with its last error when no retry is worth it before `deadline` (clock time). */
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

/** What has not ended within its time. */
export const deadlineExceeded = (what: string, ms: number): ApiError =>
  new ApiError(clientReasons.DEADLINE_EXCEEDED, `${what} took longer than ${ms} ms`)

/**
 * Runs `task` with a signal that aborts when `outer` does or `ms` have passed, and rejects with its reason at once
 * (DEADLINE_EXCEEDED of `what` for the time); the signal aborts then too. When `task` has succeeded, only `outer` still
 * acts on what it gave.
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
    // What is still under way for a task that has failed, such as the sending of a body, ends.
    expiry.abort()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Timers take 31 bits and end at once beyond. */
const timerMs = (ms: number): number => Math.min(ms, 2 ** 31 - 1)
