import { domainOf, type DispatcherOptions } from '../../runtime/call.ts'
import { ApiError, commonReasons } from '../../runtime/errors.ts'
import { errorAnswer } from '../../runtime/status.ts'
import type { Dispatch, WireAnswer, WireRequest } from '../../runtime/wire.ts'
import type { RequestRules } from './connections.ts'
import { identified, type RefusalServices } from './refusals.ts'
import { outsideWork } from './body-waits.ts'

/** The paths that are answered under any load, because they report the health of the server. */
const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])
const longestHealthPath = 8

const isHealth = ({ target }: WireRequest): boolean => target.length <= longestHealthPath && healthPaths.has(target)

const messages = {
  overloaded: 'the server has as many calls in work as it takes; try again',
  draining: 'the server is about to end; try again',
} as const

/** The delay in seconds after which refused callers should try again; the platform's clients add a random part. */
const retryAfterSeconds = 1

/**
 * Limits the number of running calls. Above the limit, and while the server ends, calls are refused with 503 and
 * `Retry-After`. A call that waits for its body, or for its caller to take the answer, does not count as running.
 */
export class Admission {
  readonly max: number
  readonly #parts: RefusalServices
  readonly #domains: DispatcherOptions['domains']
  readonly #drained = Promise.withResolvers<void>()
  #inWork = 0
  #isDraining = false

  constructor(max: number, parts: RefusalServices, domains: DispatcherOptions['domains']) {
    this.max = max
    this.#parts = parts
    this.#domains = domains
  }

  get inWork(): number {
    return this.#inWork
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /**
   * Wraps `dispatch` with the limit. A refusal has the error form of `rules`, by default the form of the called area.
   */
  admit(dispatch: Dispatch, rules?: RequestRules): Dispatch {
    return async request => {
      if (isHealth(request)) return this.#leaving(await dispatch(request))
      if (this.#isDraining) return this.#leaving(this.#refuse(request, 'draining', rules))
      if (this.#inWork >= this.max) return this.#refuse(request, 'overloaded', rules)
      this.#begin()
      try {
        return this.#leaving(await dispatch(outsideWork(request, this.#pause)))
      } finally {
        this.#end()
      }
    }
  }

  /** Refuses calls from now on; resolves once the running calls have ended. */
  drain(): Promise<void> {
    this.#isDraining = true
    if (this.#inWork === 0) this.#drained.resolve()
    return this.#drained.promise
  }

  #begin(): void {
    this.#inWork += 1
  }

  #end(): void {
    this.#inWork -= 1
    if (this.#isDraining && this.#inWork === 0) this.#drained.resolve()
  }

  /**
   * Excludes a call from the count while the call waits. Afterwards the call continues under any load, because its work
   * would otherwise be lost.
   */
  readonly #pause = async <T>(wait: () => Promise<T>): Promise<T> => {
    this.#end()
    try {
      return await wait()
    } finally {
      this.#begin()
    }
  }

  #refuse({ headers, target }: WireRequest, cause: keyof typeof messages, rules?: RequestRules): WireAnswer {
    const error = new ApiError(commonReasons.ENGINE_UNAVAILABLE, messages[cause], {}, { retryAfterSeconds })
    const answer = errorAnswer(error, rules?.domain ?? domainOf(target, this.#domains), rules?.renderError)
    return identified(answer, error, cause, this.#parts, headers.traceparent)
  }

  /** Returns the answer; while the server ends, adds the header that closes the connection. */
  #leaving(answer: WireAnswer): WireAnswer {
    if (this.#isDraining) answer.headers['connection'] = 'close'
    return answer
  }
}
