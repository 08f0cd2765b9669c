import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../runtime/errors.ts'
import { backOff } from '../../runtime/retry.ts'
import type { Transport } from '../../runtime/transport.ts'

/** The most attempts of a task, enough for about a minute. */
const attempts = 20

/** The longest pause before the second attempt in milliseconds, which doubles with each further attempt. */
const firstPauseMs = 200

/** The time in milliseconds after which a task that has failed is not begun again. */
const patienceMs = 170_000

/**
 * The time limit of a call with its attempts in milliseconds, and the part of a time limit after which a call is not begun
 * again, so that it ends with its own error.
 */
const [callMs, callPatience] = [120_000, 0.75]

/** The statuses of servers that are overloaded or restart, and of proxies before them. */
const passing: ReadonlySet<number> = new Set([408, 425, 502, 503, 504])

/** How long a task is tried. */
interface Persistence {
  readonly patienceMs: number
  /** Whether the task may succeed after an error. */
  readonly isPassing: (error: ApiError) => boolean
}

/** Runs a task until it succeeds; throws its error after too many attempts, after `patienceMs`, and if another attempt is useless. */
export async function persistently<R>(
  task: () => Promise<R>,
  { isPassing, patienceMs: patience }: Persistence = { isPassing: isPassingTransfer, patienceMs },
): Promise<R> {
  const startedMs = performance.now()
  for (let tried = 1; ; tried += 1) {
    try {
      return await task()
    } catch (error) {
      if (!(error instanceof ApiError) || tried === attempts || !isPassing(error)) throw error
      const { retryAfterSeconds = 0 } = error.details
      // Concurrent tasks that were refused together must not come back together.
      const pauseMs = retryAfterSeconds * 1000 + backOff(tried - 1, firstPauseMs) * (0.5 + Math.random() / 2)
      if (performance.now() - startedMs + pauseMs > patience) throw error
      await sleep(pauseMs)
    }
  }
}

/**
 * Returns a transport that repeats calls to a server that is overloaded or restarts, beyond the attempts of `transport`.
 * Calls that are not repeatable are left alone, and so are lost connections until the server has answered once: a wrong
 * address is reported at once.
 */
export function persistentTransport(transport: Transport): Transport {
  let hasAnswered = false
  return {
    ...transport,
    timeoutMs: callMs,
    policy(call, run) {
      const answered = async () => {
        const result = await run()
        hasAnswered = true
        return result
      }
      const attempt = () => (transport.policy ? transport.policy(call, answered) : answered())
      if (call.route.method !== 'GET' && !call.headers.has('idempotency-key')) return attempt()
      const isPassing = (error: ApiError): boolean => isUnavailable(error) && (hasAnswered || isAnswered(error))
      return persistently(attempt, { isPassing, patienceMs: Math.min(patienceMs, call.timeoutMs * callPatience) })
    },
  }
}

const isAnswered = ({ response }: ApiError): boolean => response !== undefined

/** Whether an error says that a server, or the way to it, works again later. */
function isUnavailable({ details, reason, response }: ApiError): boolean {
  if (response === undefined) return reason === 'CONNECTION_FAILED'
  // An exhausted quota has the same status, but names no time after which it is not.
  if (response.status === 429) return details.retryAfterSeconds !== undefined || reason === 'HTTP_429'
  return passing.has(response.status)
}

/** Whether a transfer may succeed after an error. Stores of others answer 500 for faults that pass. */
const isPassingTransfer = (error: ApiError): boolean =>
  isUnavailable(error) || error.response?.status === 500 || error.reason === 'PRESIGNED_URL_EXPIRED'
