import { queryLimitExceeded, queryTimeout } from '../../../output/observability/errors.ts'

/** The most spans that a query may read. */
export const maxSpansRead = 1_000_000

/** The spans after which the deadline is checked again. */
const checkedSpans = 500

/** The limits of one query over traces. */
export class SpanBudget {
  readonly #deadline: number
  readonly #isAborted: () => boolean
  #read = 0

  /** `timeoutMs` counts from now. */
  constructor(timeoutMs: number, isAborted: () => boolean) {
    this.#deadline = performance.now() + timeoutMs
    this.#isAborted = isAborted
  }

  /** Counts a span that is read. Throws QUERY_LIMIT_EXCEEDED or QUERY_TIMEOUT. */
  spend(): void {
    this.#read += 1
    if (this.#read > maxSpansRead) {
      const description = `a query may read ${maxSpansRead} spans; use a shorter range of times`
      throw queryLimitExceeded(description, { limit: 'spans' }, { quota: [{ subject: 'query', description }] })
    }
    if (this.#read % checkedSpans === 0) this.check()
  }

  /** Throws QUERY_TIMEOUT after the deadline, and if the caller no longer waits. */
  check(): void {
    if (performance.now() > this.#deadline) throw queryTimeout('the query took longer than its timeout')
    if (this.#isAborted()) throw queryTimeout('the query was aborted')
  }
}
