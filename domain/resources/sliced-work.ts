import { nextTurn } from './next-turn.ts'

/** The time in milliseconds for which work holds the event loop before other work runs. */
const sliceMs = 10

/** The end of the queue of work that waits for its next slice: one slice runs in each turn of the event loop. */
let queue: Promise<void> = Promise.resolve()

/** Long work on the event loop in slices of some milliseconds, between which other work runs. */
export class SlicedWork {
  #leftMs: number

  /** `limitMs` is the time in milliseconds that all slices may take together. */
  constructor(limitMs = Infinity) {
    this.#leftMs = limitMs
  }

  /** Takes all steps of some work, each of which takes less than a slice. Returns false if the time is used up before. */
  async run(steps: Iterator<unknown>): Promise<boolean> {
    for (;;) {
      const begun = performance.now()
      do {
        if (steps.next().done) {
          this.#leftMs -= performance.now() - begun
          return true
        }
      } while (performance.now() - begun < sliceMs)
      this.#leftMs -= performance.now() - begun
      if (this.#leftMs <= 0) return false
      queue = queue.then(nextTurn)
      await queue
    }
  }
}
