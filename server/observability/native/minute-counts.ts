const secondMs = 1000

/** The length of the counted time in seconds. */
const seconds = 60

/** The samples or spans that workspaces have written in the last minute. */
export class MinuteCounts {
  /** The counts of the seconds of a minute, keyed by the second, of each workspace. */
  readonly #counts = new Map<string, Map<number, number>>()

  add(workspace: string, count: number, now: number): void {
    if (count === 0) return
    const counts = this.#counts.get(workspace) ?? new Map<number, number>()
    this.#counts.set(workspace, counts)
    const second = Math.floor(now / secondMs)
    counts.set(second, (counts.get(second) ?? 0) + count)
    for (const counted of counts.keys()) {
      if (counted > second - seconds) break
      counts.delete(counted)
    }
  }

  /** Returns what a workspace has written in the last minute. */
  of(workspace: string, now: number): number {
    const since = Math.floor(now / secondMs) - seconds
    let sum = 0
    for (const [second, counted] of this.#counts.get(workspace) ?? []) if (second > since) sum += counted
    return sum
  }

  forget(workspace: string): void {
    this.#counts.delete(workspace)
  }
}
