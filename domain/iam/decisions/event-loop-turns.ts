/** The maximal time of work without a pause, in milliseconds. */
const turnMs = 10

/** Pauses long work of one call regularly, so that the event loop can serve other calls. */
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
