/** Runs the work on each name one after the other, in the order of the calls. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const turn = before.then(work)
    // The failure is thrown to the caller of its own turn.
    const ended = turn.catch(() => {})
    this.#last.set(name, ended)
    try {
      return await turn
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name)
    }
  }
}
