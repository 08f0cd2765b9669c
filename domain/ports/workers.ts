import type { Transaction } from './store.ts'

/** The context of one run of a periodic worker. */
export interface Turn {
  /** Aborted if the server stops or the lease is lost. */
  readonly signal: AbortSignal
  /** Runs a transaction as `Store.tx`, but throws before `fn` writes if another process has the lease. */
  tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R>
}

/**
 * Periodic work that one process at a time does (conventions §15). The first run begins at the start of the server,
 * each further run `everyMs` milliseconds after the end of the run before.
 */
export interface Worker {
  /** The name of the lease of the worker, `<area>.<name>`: `iam.tokens`. */
  readonly name: string
  readonly everyMs: number
  readonly run: (turn: Turn) => Promise<void>
  /**
   * Returns whether the process keeps the lease after a run; absent: it does. A process that can do only a part of the
   * work gives the lease up, so that another process may take it, and claims the lease again some seconds later.
   */
  readonly keepsLease?: () => boolean
}
