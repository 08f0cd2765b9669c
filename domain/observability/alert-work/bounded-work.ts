/** How much work runs at one time. */
export interface WorkLimits {
  readonly total: number
  /** The limit of each group, so that the slow work of one group leaves room for the work of others. */
  readonly perGroup: number
}

/** Work that runs beside the turns of a worker, bounded in all and in each group. */
export class BoundedWork {
  readonly #limits: WorkLimits
  readonly #running = new Map<string, Promise<void>>()
  readonly #perGroup = new Map<string, number>()

  constructor(limits: WorkLimits) {
    this.#limits = limits
  }

  /** Whether no further work can be started in any group. */
  get isFull(): boolean {
    return this.#running.size >= this.#limits.total
  }

  /** Returns whether work can be started: its key does not run, and its group and the whole have room. */
  hasRoom(key: string, group: string): boolean {
    return !this.isFull && !this.#running.has(key) && (this.#perGroup.get(group) ?? 0) < this.#limits.perGroup
  }

  /** Starts work, which must not reject. The caller has asked `hasRoom`. */
  start(key: string, group: string, work: () => Promise<void>): void {
    this.#perGroup.set(group, (this.#perGroup.get(group) ?? 0) + 1)
    this.#running.set(
      key,
      work().finally(() => {
        this.#running.delete(key)
        const left = (this.#perGroup.get(group) ?? 1) - 1
        if (left > 0) this.#perGroup.set(group, left)
        else this.#perGroup.delete(group)
      }),
    )
  }

  /** Resolves once all work that is running now has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values())
  }
}
