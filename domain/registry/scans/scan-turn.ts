/** Bounds the images that a server reads at a time. */
export class ScanTurn {
  #isTaken = false

  /** Runs the work if no other work has the turn. Returns `busy` otherwise. */
  async run<T>(work: () => Promise<T>): Promise<T | 'busy'> {
    if (this.#isTaken) return 'busy'
    this.#isTaken = true
    try {
      return await work()
    } finally {
      this.#isTaken = false
    }
  }
}
