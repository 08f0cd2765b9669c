import type { Transaction } from './store.ts'

/** What one run of a periodic worker may use. */
export interface Turn {
  /** Aborted when the server stops or the lease is lost. */
  readonly signal: AbortSignal
  /** As `Store.tx`, and throws before `fn` writes anything when another process holds the lease. */
  tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R>
}

/** Work that one process at a time does again and again (conventions §15): it runs at once, then `everyMs` after each end. */
export interface Worker {
  /** The name of its lease, `<area>.<name>`: `iam.tokens`. */
  readonly name: string
  readonly everyMs: number
  readonly run: (turn: Turn) => Promise<void>
}
