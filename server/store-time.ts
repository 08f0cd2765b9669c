import type { Log } from './log.ts'
import type { ServerStore } from './store/server-store.ts'

/** How often a store is asked for its time: clocks of machines drift apart by far less than a millisecond meanwhile. */
const everyMs = 5000

/** What the servers on a store take for the time (conventions §15). */
export interface Time {
  /** Milliseconds since 1970. */
  now(): number
  stop(): void
}

/**
 * The time that all servers on the store share: that of this machine, when it keeps the store itself, else that of the
 * store, whatever the clocks of the machines show.
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

/** The time of somebody who has to be asked for it; between two answers it goes on with a clock that cannot be set. */
export class AskedTime {
  readonly #ask: () => Promise<number>
  readonly #steady: () => number
  #offset: number | undefined

  /** Both in milliseconds; `steady` counts from anywhere. */
  constructor(ask: () => Promise<number>, steady: () => number) {
    this.#ask = ask
    this.#steady = steady
  }

  now(): number {
    if (this.#offset === undefined) throw new Error('the time has not been asked for')
    return Math.floor(this.#steady() + this.#offset)
  }

  /** The answer was true at some moment of the asking, so that a slow one corrects only what it proves wrong. */
  async sync(): Promise<void> {
    const before = this.#steady()
    const time = await this.#ask()
    const [least, most] = [time - this.#steady(), time - before]
    this.#offset = Math.min(most, Math.max(least, this.#offset ?? (least + most) / 2))
  }
}
