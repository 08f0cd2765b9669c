import type { Removed } from './remove-batch.ts'

/** Counts what retention policies have removed on this server, for its metrics. */
export class RetentionCounts {
  #artifacts = 0
  #tags = 0

  add({ artifacts, tags }: Pick<Removed, 'artifacts' | 'tags'>): void {
    this.#artifacts += artifacts
    this.#tags += tags
  }

  /** The numbers of deleted artifacts, and of tags that were taken from artifacts that stay. */
  get counts(): { readonly artifacts: number; readonly tags: number } {
    return { artifacts: this.#artifacts, tags: this.#tags }
  }
}
