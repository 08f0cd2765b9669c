import type { Transaction } from './store.ts'

/** The context of one run of a periodic worker. */
export interface Turn {
  /** Aborted if the server stops or the lease is lost. */
  readonly signal: AbortSignal
  /** Runs a transaction as `Store.tx`, but throws before `fn` writes if another process has the lease. */
  tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R>
}

/**
 * Periodic work that one process at a time does (conventions §15). It runs at once, then `everyMs` milliseconds after
 * each end.
 */
export interface Worker {
  /** The name of its lease, `<area>.<name>`: `iam.tokens`. */
  readonly name: string
  readonly everyMs: number
  readonly run: (turn: Turn) => Promise<void>
}
