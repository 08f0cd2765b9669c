/** Numbers of deleted artifacts, and of tags that were taken from artifacts that stay. */
export interface RemovedNumbers {
  readonly artifacts: number
  readonly tags: number
}

/** Counts what retention policies have removed on this server, for its metrics. */
export class RetentionCounts {
  #artifacts = 0
  #tags = 0

  add({ artifacts, tags }: RemovedNumbers): void {
    this.#artifacts += artifacts
    this.#tags += tags
  }

  get counts(): RemovedNumbers {
    return { artifacts: this.#artifacts, tags: this.#tags }
  }
}
