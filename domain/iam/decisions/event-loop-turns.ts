/** The maximal time of uninterrupted work, in milliseconds. */
const turnMs = 10

/** Splits long work of one call, so that other calls run in between. */
export class Turns {
  #began = performance.now()

  /** Returns a promise to await before the next step, or undefined if no pause is due. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#began < turnMs ? undefined : this.#others()
  }

  async #others(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, 0))
    this.#began = performance.now()
  }
}
