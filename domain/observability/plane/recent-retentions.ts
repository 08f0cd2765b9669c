import { LRUCache } from 'lru-cache'
import type { SignalInput } from '../../../output/observability/types.ts'
import type { Reader } from '../../ports/store.ts'
import { longestRetentionMs } from '../retention/signal-policies.ts'

/** The time for which a retention that was read is used, in milliseconds. */
const freshMs = 10_000

/** The largest number of retentions in the memory. */
const maxRetentions = 10_000

/** The longest retentions of the signals of workspaces that push often, so that a push need not read the store. */
export class RecentRetentions {
  readonly #retentions = new LRUCache<string, number>({ max: maxRetentions, ttl: freshMs })
  readonly #reader: Reader

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns the longest retention of a signal of a workspace, in milliseconds, as it was at most 10 seconds ago. */
  async of(workspace: string, signal: SignalInput): Promise<number> {
    const key = `${signal} ${workspace}`
    const recent = this.#retentions.get(key)
    if (recent !== undefined) return recent
    const retentionMs = await longestRetentionMs(this.#reader, workspace, signal)
    this.#retentions.set(key, retentionMs)
    return retentionMs
  }
}
