import { rateLimited } from '../../../output/shared/errors.ts'

/** The largest number of callers that wait in a workspace on one server (observability.md 3). */
const mostWaiting = 50

/** The callers that follow the logs of workspaces on this server. */
export class WaitingTails {
  readonly #counts = new Map<string, number>()

  /** Returns the number of callers that follow the logs of any workspace now. */
  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Runs a call that may wait. Throws RATE_LIMITED without running it if 50 others wait in the workspace. */
  async run<Result>(workspace: string, wait: () => Promise<Result>): Promise<Result> {
    const count = this.#counts.get(workspace) ?? 0
    if (count >= mostWaiting)
      throw rateLimited(`at most ${mostWaiting} callers can wait for the logs of a workspace`, { retryAfterSeconds: 1 })
    this.#counts.set(workspace, count + 1)
    try {
      return await wait()
    } finally {
      const left = (this.#counts.get(workspace) ?? 1) - 1
      if (left > 0) this.#counts.set(workspace, left)
      else this.#counts.delete(workspace)
    }
  }
}
