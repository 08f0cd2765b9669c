import type { Log } from './log.ts'
import type { ServerStore } from './store/server-store.ts'

/**
 * The interval between requests for the store's time, in milliseconds. Within the interval, clocks of machines drift by
 * far less than a millisecond.
 */
const everyMs = 5000

/** The common time of the servers on a store (conventions §15). */
export interface Time {
  /** Returns the current time in milliseconds since 1970. */
  now(): number
  stop(): void
}

/**
 * Returns the common time of the servers on a store: the time of this machine if the store is a local file, otherwise
 * the time of the store, whatever the clocks of the machines show.
 */
export async function startTime(store: ServerStore, log: Log): Promise<Time> {
  const ask = store.time?.bind(store)
  if (ask === undefined) return { now: Date.now, stop: () => undefined }
  const time = new AskedTime(ask, () => performance.now())
  await time.sync()
  const timer = setInterval(() => {
    time.sync().catch((error: unknown) => log.warn({ err: error }, 'the store does not tell its time'))
  }, everyMs).unref()
  return { now: () => time.now(), stop: () => clearInterval(timer) }
}

/** The time of a remote clock. Between two answers, a local clock that cannot be set advances the time. */
export class AskedTime {
  readonly #ask: () => Promise<number>
  readonly #steady: () => number
  #offset: number | undefined

  /**
   * `ask` returns the remote time in milliseconds since 1970; `steady` returns a local time in milliseconds since any
   * origin.
   */
  constructor(ask: () => Promise<number>, steady: () => number) {
    this.#ask = ask
    this.#steady = steady
  }

  now(): number {
    if (this.#offset === undefined) throw new Error('the time has not been asked for')
    return Math.floor(this.#steady() + this.#offset)
  }

  /**
   * Corrects the time by one request. The answer was right at some moment of the request, so a slow answer corrects
   * only a proven difference.
   */
  async sync(): Promise<void> {
    const before = this.#steady()
    const time = await this.#ask()
    const [least, most] = [time - this.#steady(), time - before]
    this.#offset = Math.min(most, Math.max(least, this.#offset ?? (least + most) / 2))
  }
}
