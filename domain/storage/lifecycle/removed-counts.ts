import { added, nothingRemoved, type Removed } from '../rules/runs-store.ts'

/** Counts what the lifecycle rules have removed on this server, for its metrics. */
export class RemovedCounts {
  #counts = nothingRemoved

  add(removed: Removed): void {
    this.#counts = added(this.#counts, removed)
  }

  get counts(): Removed {
    return this.#counts
  }
}
