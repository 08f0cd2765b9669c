const secondMs = 1000

/** The length of the counted time in seconds. */
const seconds = 60

/** The samples that workspaces have written in the last minute. */
export class SampleCounts {
  /** The counts of the seconds of a minute, keyed by the second, of each workspace. */
  readonly #counts = new Map<string, Map<number, number>>()

  add(workspace: string, samples: number, now: number): void {
    if (samples === 0) return
    const counts = this.#counts.get(workspace) ?? new Map<number, number>()
    this.#counts.set(workspace, counts)
    const second = Math.floor(now / secondMs)
    counts.set(second, (counts.get(second) ?? 0) + samples)
    for (const counted of counts.keys()) {
      if (counted > second - seconds) break
      counts.delete(counted)
    }
  }

  /** Returns the samples of a workspace in the last minute. */
  of(workspace: string, now: number): number {
    const since = Math.floor(now / secondMs) - seconds
    let sum = 0
    for (const [second, count] of this.#counts.get(workspace) ?? []) if (second > since) sum += count
    return sum
  }

  /** Returns the workspaces that have written samples. */
  workspaces(): readonly string[] {
    return [...this.#counts.keys()]
  }

  forget(workspace: string): void {
    this.#counts.delete(workspace)
  }
}
