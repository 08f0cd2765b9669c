import type { Transaction } from '../../ports/store.ts'

/** The kinds of changes; the key is the id of a principal, role, workspace (POLICY), scope or session. */
export type ChangeKind = 'PRINCIPAL' | 'ROLE' | 'POLICY' | 'SCOPE' | 'SESSION'

/** Ensures that a change whose operation is DONE applies on every server (iam.md 4.3). */
export interface Feed {
  /**
   * Locks the revision until the end of the transaction. Call it after the lock on the organisation and before the rows
   * that decide about the change are read, so that these rows stay as they were read.
   */
  hold(tx: Transaction): Promise<void>
  /**
   * Records a change in the transaction of the caller, which locks the revision, and returns the new revision. This
   * server applies it at the commit.
   */
  revise(tx: Transaction, kind: ChangeKind, key: string): Promise<number>
  /** Returns the last revision that `revise` made in a transaction. */
  revised(tx: Transaction): number | undefined
  /**
   * Whether another server has to apply the changes of a transaction. A server may still join before the commit, so
   * `settled` must be called afterwards in any case.
   */
  isFollowed(tx: Transaction): Promise<boolean>
  /** Resolves to true once all other servers have applied `revision` or lost their leases, to false after 3.5 s. */
  settled(revision: number): Promise<boolean>
  /** Whether all other servers have applied it now. */
  isSettled(revision: number): Promise<boolean>
  /** Throws AUTHORIZATION_STALE if this server may have missed a change. */
  requireFresh(): void
}

/** A cache that the feed tells of changes. */
export interface FeedListener {
  /** Called for a change at its commit, or when it is read from another server. Repeated calls must be harmless. */
  changed(kind: ChangeKind, key: string): void
  /** Called if all entries may be outdated. */
  reset(): void
}
