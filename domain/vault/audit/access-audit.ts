import type { Activity, Audit } from '../../ports/audit.ts'
import type { Store } from '../../ports/store.ts'

/** The part of the audit that records accesses. */
type Recorder = Pick<Audit, 'recordActivity'>

interface Waiting {
  readonly activity: Activity
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The maximal number of activities in one transaction. */
const maxBatch = 100

/**
 * Records accesses to protected content before they are answered (conventions §13). The activities of concurrent calls
 * share a transaction: all activities that arrive during a commit are written by the next commit.
 */
export class AccessAudit {
  readonly #store: Store
  readonly #audit: Recorder
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(parts: { readonly store: Store; readonly audit: Recorder }) {
    this.#store = parts.store
    this.#audit = parts.audit
  }

  /** Resolves once the activity is committed. Rejects if it could not be written; the call must then fail. */
  record(activity: Activity): Promise<void> {
    const { promise, reject, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ activity, resolve, reject })
    if (!this.#isWriting) void this.#write()
    return promise
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Calls that arrive in the same turn of the event loop join the first transaction.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0, maxBatch))
    this.#isWriting = false
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#store.tx(async tx => {
        for (const { activity } of batch) await this.#audit.recordActivity(tx, activity)
      })
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
