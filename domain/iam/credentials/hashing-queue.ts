import { authenticationThrottled } from '../../../output/iam/errors.ts'

/** The maximal number of waiting jobs. */
const places = 64

/** Limits the number of concurrent slow jobs, so that the thread pool stays free for other work (iam.md 4.7). */
export class HashingQueue {
  readonly #atOnce: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /**
   * Runs a job and returns its result; waiting jobs start in the order of their arrival. Throws
   * AUTHENTICATION_THROTTLED if 64 jobs are waiting.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  /** Throws AUTHENTICATION_THROTTLED if 64 jobs are waiting. */
  requireRoom(): void {
    if (this.#waiting.length < places) return
    throw authenticationThrottled('too many passwords are being checked; try again in a moment', {
      retryAfterSeconds: 1,
    })
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#atOnce) {
      this.#running += 1
      return
    }
    this.requireRoom()
    await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  /** Starts the job that has waited longest, or frees the place. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running -= 1
  }
}
