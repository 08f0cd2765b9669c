import { LRUCache } from 'lru-cache'

/** The largest number of workspaces whose last ingest numbers are in the memory. */
const mostWorkspaces = 100_000

/** The last ingest numbers of workspaces, and the callers that wait for greater ones. */
export class CommittedNumbers {
  readonly #numbers = new LRUCache<string, number>({ max: mostWorkspaces })
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Returns the last number of a workspace; undefined if it is not known. */
  of(workspace: string): number | undefined {
    return this.#numbers.get(workspace)
  }

  /** Stores a number of a committed entry of a workspace, and wakes the callers that wait. */
  advance(workspace: string, number: number): void {
    if (number <= (this.of(workspace) ?? -1)) return
    this.#numbers.set(workspace, number)
    for (const wake of this.#waiting.get(workspace) ?? []) wake()
  }

  /** Forgets all numbers, because another server may have written since. */
  forget(): void {
    this.#numbers.clear()
  }

  /** Resolves once the last number of a workspace is greater than `after`, or the signal is aborted. */
  async beyond(workspace: string, after: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.of(workspace) ?? after) <= after) await this.#change(workspace, signal)
  }

  /** Resolves with the next change of the last number of a workspace, or once the signal is aborted. */
  async #change(workspace: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(workspace) ?? new Set()
    this.#waiting.set(workspace, waiting)
    waiting.add(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    waiting.delete(resolve)
    if (waiting.size === 0 && this.#waiting.get(workspace) === waiting) this.#waiting.delete(workspace)
  }
}
