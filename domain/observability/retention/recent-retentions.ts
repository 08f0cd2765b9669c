import { LRUCache } from 'lru-cache'
import type { Reader } from '../../ports/store.ts'
import { longestRetentionMs } from './metric-retention.ts'

/** The time for which a retention that was read is used, in milliseconds. */
const freshMs = 10_000

/** The largest number of workspaces in the memory. */
const maxWorkspaces = 10_000

/** The longest retentions of metrics of workspaces that write often, so that a write need not read the store. */
export class RecentRetentions {
  readonly #retentions = new LRUCache<string, number>({ max: maxWorkspaces, ttl: freshMs })
  readonly #reader: Reader

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns the longest retention of any metric of a workspace, in milliseconds, as it was at most 10 seconds ago. */
  async of(workspace: string): Promise<number> {
    const recent = this.#retentions.get(workspace)
    if (recent !== undefined) return recent
    const retentionMs = await longestRetentionMs(this.#reader, workspace)
    this.#retentions.set(workspace, retentionMs)
    return retentionMs
  }
}
