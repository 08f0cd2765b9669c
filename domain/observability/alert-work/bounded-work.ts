/** A group of work with the number of its members that may run at one time. */
export interface WorkGroup {
  readonly name: string
  readonly limit: number
}

/**
 * Work that runs beside the turns of a worker, bounded in all and in each of its groups: slow work of one group leaves
 * room for the work of others.
 */
export class BoundedWork {
  readonly #total: number
  readonly #running = new Map<string, Promise<void>>()
  readonly #perGroup = new Map<string, number>()

  /** `total` is the number of all work that may run at one time. */
  constructor(total: number) {
    this.#total = total
  }

  /** Whether no further work can be started in any group. */
  get isFull(): boolean {
    return this.#running.size >= this.#total
  }

  /** Whether work with a key is running. */
  has(key: string): boolean {
    return this.#running.has(key)
  }

  /**
   * Starts work unless work with the same key runs, or a group or the whole has no room; returns whether it has started.
   * `work` must not reject.
   */
  start(key: string, groups: readonly WorkGroup[], work: () => Promise<void>): boolean {
    const hasRoom = groups.every(({ limit, name }) => (this.#perGroup.get(name) ?? 0) < limit)
    if (this.isFull || this.has(key) || !hasRoom) return false
    for (const { name } of groups) this.#perGroup.set(name, (this.#perGroup.get(name) ?? 0) + 1)
    this.#running.set(
      key,
      work().finally(() => {
        this.#running.delete(key)
        for (const { name } of groups) this.#leave(name)
      }),
    )
    return true
  }

  /** Resolves once all work that is running now has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  #leave(group: string): void {
    const left = (this.#perGroup.get(group) ?? 1) - 1
    if (left > 0) this.#perGroup.set(group, left)
    else this.#perGroup.delete(group)
  }
}
