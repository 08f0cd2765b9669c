/** Measures the stages of one run in milliseconds. */
export class Stopwatch {
  readonly #started = performance.now()
  readonly #laps: { readonly stage: string; readonly milliseconds: number }[] = []
  #lapStarted = this.#started

  /** Ends the running stage, records its time under the name `stage`, and starts the next stage. */
  lap(stage: string): void {
    const now = performance.now()
    this.#laps.push({ stage, milliseconds: now - this.#lapStarted })
    this.#lapStarted = now
  }

  /** The milliseconds since the creation of the stopwatch, rounded to an integer. */
  get total(): number {
    return Math.round(performance.now() - this.#started)
  }

  /** Formats the stages: `load 120 ms, build 4 ms`. */
  toString(): string {
    return this.#laps.map(({ stage, milliseconds }) => `${stage} ${milliseconds.toFixed(0)} ms`).join(', ')
  }
}
