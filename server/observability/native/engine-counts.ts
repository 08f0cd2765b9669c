import type { WriteResult } from '../../../domain/observability/metrics/metric-engine.ts'
import { ApiError } from '../../../runtime/errors.ts'

/** The counts of the work of the engine since the start of the server. */
export class EngineCounts {
  #accepted = 0
  readonly #rejected = new Map<string, number>()
  readonly #queries = new Map<string, number>()

  /** The samples that were taken. */
  get accepted(): number {
    return this.#accepted
  }

  /** The samples that were refused, keyed by the reason. */
  get rejected(): ReadonlyMap<string, number> {
    return this.#rejected
  }

  /** The reads by their outcome: `answered`, a reason of the area, or `failed`. */
  get queries(): ReadonlyMap<string, number> {
    return this.#queries
  }

  write({ accepted, rejections }: WriteResult): void {
    this.#accepted += accepted
    for (const [reason, count] of Object.entries(rejections)) increase(this.#rejected, reason, count)
  }

  /** Runs a read, and counts its outcome. */
  async query<T>(run: () => Promise<T>): Promise<T> {
    try {
      const result = await run()
      increase(this.#queries, 'answered', 1)
      return result
    } catch (error) {
      increase(this.#queries, error instanceof ApiError ? error.reason : 'failed', 1)
      throw error
    }
  }
}

const increase = (counts: Map<string, number>, key: string, by: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + by)
}
