import type { Reader } from '../../ports/store.ts'
import { limitExceeded, limitOf } from '../quotas/limits.ts'

/** The queries that run on this server, counted by workspace (observability.md 4.5). */
export class RunningQueries {
  readonly #counts = new Map<string, number>()

  /** Returns the number of queries of a workspace that run now. */
  of(workspace: string): number {
    return this.#counts.get(workspace) ?? 0
  }

  /** Runs a query. Throws QUOTA_EXCEEDED without running it if the workspace has as many queries as it may have. */
  async run<R>(reader: Reader, workspace: string, query: () => Promise<R>): Promise<R> {
    const limit = await limitOf(reader, 'concurrentQueries', workspace)
    const usage = this.of(workspace)
    if (limit >= 0 && usage >= limit) throw limitExceeded('concurrentQueries', workspace, { limit, usage, n: 1 })
    this.#counts.set(workspace, usage + 1)
    try {
      return await query()
    } finally {
      this.#end(workspace)
    }
  }

  #end(workspace: string): void {
    const left = this.of(workspace) - 1
    if (left > 0) this.#counts.set(workspace, left)
    else this.#counts.delete(workspace)
  }
}
