import { authenticationThrottled } from '../../../output/iam/errors.ts'

/** How many may wait for a turn. */
const places = 64

/** Lets only so much slow work run at once that the pool of threads stays free for others (iam.md 4.7). */
export class HashingQueue {
  readonly #atOnce: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Runs work when its turn has come, first come first served. Throws AUTHENTICATION_THROTTLED when 64 wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#atOnce) {
      this.#running += 1
      return
    }
    if (this.#waiting.length >= places) {
      throw authenticationThrottled('too many passwords are being checked; try again in a moment', {
        retryAfterSeconds: 1,
      })
    }
    await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  /** Whoever waits longest takes the turn over. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running -= 1
  }
}
