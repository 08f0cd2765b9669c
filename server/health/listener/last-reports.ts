import { ApiError, commonReasons } from '../../../runtime/errors.ts'
import type { Readiness } from '../vitals.ts'
import type { ToThread } from './messages.ts'

/** The time in milliseconds without a report after which the event loop of the server counts as stalled. */
const stalledMs = 10_000

/** The time in milliseconds for which the last report of the readiness is valid. */
const validMs = 5000

/** The time in milliseconds for which a caller waits for fresh metrics before it gets the last metrics. */
const metricsMs = 100

/** The last reports of a server, from which its health listener answers. */
export class LastReports {
  readonly #request: () => void
  readonly #nowMs: () => number
  readonly #waiting = new Set<() => void>()
  #beatMs: number
  #readiness: { readonly atMs: number; readonly told: Readiness } | undefined
  #metrics: string | undefined

  /** `request` asks the server for its metrics; `nowMs` is a clock that cannot be set. */
  constructor(request: () => void, nowMs: () => number = () => performance.now()) {
    this.#request = request
    this.#nowMs = nowMs
    this.#beatMs = nowMs()
  }

  /** Whether the event loop of the server runs. */
  readonly isAlive = (): boolean => this.#nowMs() - this.#beatMs < stalledMs

  /** Returns the last reported readiness; a server without a recent report is degraded and serves no calls. */
  readonly readiness = async (): Promise<Readiness> => {
    const last = this.#readiness
    if (last !== undefined && this.#nowMs() - last.atMs < validMs) return last.told
    return { status: 'degraded', reason: 'the server does not report its readiness', isServing: false }
  }

  /** Returns fresh metrics, or the last metrics if the server is busy. Throws ENGINE_UNAVAILABLE without metrics. */
  async metrics(): Promise<string> {
    await this.#fresh()
    if (this.#metrics !== undefined) return this.#metrics
    const details = { retryAfterSeconds: 1 }
    throw new ApiError(commonReasons.ENGINE_UNAVAILABLE, 'the server has not reported its metrics', {}, details)
  }

  take(message: ToThread): void {
    this.#beatMs = this.#nowMs()
    if (message.kind === 'readiness') this.#readiness = { atMs: this.#beatMs, told: message.readiness }
    if (message.kind !== 'metrics') return
    this.#metrics = message.text
    for (const wake of this.#waiting) wake()
  }

  /** Resolves when the server has reported its metrics, or after `metricsMs`. */
  #fresh(): Promise<void> {
    return new Promise(resolve => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, metricsMs)
      // Concurrent requests share a report.
      if (this.#waiting.size === 0) this.#request()
      this.#waiting.add(wake)
    })
  }
}
