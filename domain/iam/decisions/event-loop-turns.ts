/** So long, in milliseconds, others wait for one who has much to decide. */
const turnMs = 10

/** Whoever decides much in one call asks between the steps, so that other calls have their turns meanwhile. */
export class Turns {
  #began = performance.now()

  /** To be awaited, unless undefined, before the next step. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#began < turnMs ? undefined : this.#others()
  }

  async #others(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, 0))
    this.#began = performance.now()
  }
}
