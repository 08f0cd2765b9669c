import { domainOf, type DispatcherOptions } from '../../runtime/call.ts'
import { ApiError, commonReasons, type ErrorDomain } from '../../runtime/errors.ts'
import { fieldInvalid } from '../../runtime/refusal.ts'
import { errorAnswer } from '../../runtime/status.ts'
import type { Dispatch, WireAnswer, WireRequest } from '../../runtime/wire.ts'
import type { RequestRules } from './connections.ts'
import { identified, type RefusalServices } from './refusals.ts'
import { outsideWork } from './body-waits.ts'
import type { Turns } from './turns.ts'

/** The paths that are answered under any load, because they report the health of the server. */
const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])
const longestHealthPath = 8

const isHealth = ({ target }: WireRequest): boolean => target.length <= longestHealthPath && healthPaths.has(target)

const messages = {
  overloaded: 'the server has as many calls in work as it takes; try again',
  draining: 'the server is about to end; try again',
} as const

/** Returns the answer to a caller that has disconnected, which is never sent. */
const gone = (): WireAnswer => ({ status: 499, headers: {} })

/** The delay in seconds after which refused callers should try again; the platform's clients add a random part. */
const retryAfterSeconds = 1

const refusalOf = (cause: keyof typeof messages): ApiError =>
  new ApiError(commonReasons.ENGINE_UNAVAILABLE, messages[cause], {}, { retryAfterSeconds })

// The errors are made once: each new error would cost the capture of its stack.
const refusals = {
  overloaded: refusalOf('overloaded'),
  draining: refusalOf('draining'),
  transfer_coding: fieldInvalid([{ field: 'Transfer-Encoding', description: 'must be absent or chunked' }]),
} as const

type Cause = keyof typeof refusals

/** The HTTP status of refusals whose error has another status elsewhere. */
const statuses: { readonly [C in Cause]?: number } = { transfer_coding: 501 }

/** Whether the body of a request has a transfer coding that the server cannot decode (RFC 9112 §6.1). */
function isCoded({ headers }: WireRequest): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && coding.toLowerCase() !== 'chunked'
}

/**
 * Limits the number of running calls, and begins calls in the turns of the server. Above the limit, after too long a
 * wait for a turn, and while the server ends, calls are refused with 503 and `Retry-After`. A request with another
 * transfer coding than `chunked` is refused with 501. A call that waits for its
 * body, or for its caller to take the answer, does not count as running.
 */
export class Admission {
  readonly max: number
  readonly #turns: Turns
  readonly #parts: RefusalServices
  readonly #domains: DispatcherOptions['domains']
  /** The refusals in the form of the platform, by cause and domain. Only ids differ between two of a kind. */
  readonly #answers: Readonly<Record<Cause, Map<ErrorDomain, WireAnswer>>> = {
    overloaded: new Map(),
    draining: new Map(),
    transfer_coding: new Map(),
  }
  readonly #drained = Promise.withResolvers<void>()
  #inWork = 0
  #isDraining = false

  constructor(max: number, turns: Turns, parts: RefusalServices, domains: DispatcherOptions['domains']) {
    this.max = max
    this.#turns = turns
    this.#parts = parts
    this.#domains = domains
  }

  get inWork(): number {
    return this.#inWork
  }

  /** The number of requests that wait for a turn. */
  get waiting(): number {
    return this.#turns.waiting
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /**
   * Wraps `dispatch` with the limit. A refusal has the error form of `rules`, by default the form of the called area.
   */
  admit(dispatch: Dispatch, rules?: RequestRules): Dispatch {
    return async request => {
      const turns = this.#turns
      // Every handler would take the coded bytes for its body.
      if (isCoded(request)) return this.#leaving(this.#refuse(request, 'transfer_coding', rules))
      if (isHealth(request)) {
        const entered = turns.enter(true)
        if (entered !== true) await entered
        return this.#leaving(await dispatch(request))
      }
      if (this.#isDraining) return this.#leaving(this.#refuse(request, 'draining', rules))
      if (this.#inWork + turns.waiting >= this.max) return this.#shed(request, rules)
      const entered = turns.enter(false)
      if (entered !== true) {
        if (!(await entered)) return this.#shed(request, rules)
        if (this.#isDraining) return this.#leaving(this.#refuse(request, 'draining', rules))
        if (request.signal.aborted) return gone()
      }
      this.#begin()
      let answer: WireAnswer
      try {
        answer = await dispatch(outsideWork(request, this.#pause))
      } finally {
        this.#end()
      }
      // A call may find a limit of its own, such as the limit of concurrent password checks.
      if (answer.headers['retry-after'] !== undefined) await turns.refusal()
      return this.#leaving(answer)
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

  async #shed(request: WireRequest, rules?: RequestRules): Promise<WireAnswer> {
    await this.#turns.refusal()
    if (request.signal.aborted) return gone()
    return this.#leaving(this.#refuse(request, 'overloaded', rules))
  }

  #refuse({ headers, target }: WireRequest, cause: Cause, rules?: RequestRules): WireAnswer {
    const answer =
      rules === undefined
        ? this.#plain(cause, domainOf(target, this.#domains))
        : errorAnswer(refusals[cause], rules.domain, rules.renderError, statuses[cause])
    return identified(answer, refusals[cause], cause, this.#parts, headers.traceparent)
  }

  #plain(cause: Cause, domain: ErrorDomain): WireAnswer {
    const known = this.#answers[cause].get(domain)
    if (known) return known
    const answer = errorAnswer(refusals[cause], domain, undefined, statuses[cause])
    this.#answers[cause].set(domain, answer)
    return answer
  }

  /** Returns the answer; while the server ends, adds the header that closes the connection. */
  #leaving(answer: WireAnswer): WireAnswer {
    if (this.#isDraining) answer.headers['connection'] = 'close'
    return answer
  }
}
