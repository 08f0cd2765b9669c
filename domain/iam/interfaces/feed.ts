import type { Transaction } from '../../ports/store.ts'

/**
 * The kinds of changes. The key of a change is the id of the principal, role, workspace (POLICY), scope or session; for
 * KEY, the resource of the vault whose key material changed: `cryptoKeys/<id>`.
 */
export type ChangeKind = 'PRINCIPAL' | 'ROLE' | 'POLICY' | 'SCOPE' | 'SESSION' | 'KEY'

/**
 * Distributes changes to all servers: a change whose operation is DONE has been applied on every server (iam.md 4.3).
 */
export interface Feed {
  /**
   * Locks the revision until the end of the transaction. Call `hold` after the lock on the organisation and before
   * reading the rows that decide about the change, so that no other change can alter these rows.
   */
  hold(tx: Transaction): Promise<void>
  /**
   * Records a change in the transaction of the caller, locks the revision, and returns the new revision. This server
   * applies the change at the commit.
   */
  revise(tx: Transaction, kind: ChangeKind, key: string): Promise<number>
  /** Returns the last revision that `revise` created in a transaction; undefined if there was no change. */
  revised(tx: Transaction): number | undefined
  /**
   * Returns whether another server must apply the changes of a transaction. A server may still join before the commit,
   * so the caller also awaits `settled` if the result is false.
   */
  isFollowed(tx: Transaction): Promise<boolean>
  /** Resolves to true once all other servers have applied `revision` or lost their leases, to false after 3.5 s. */
  settled(revision: number): Promise<boolean>
  /** Returns whether all other servers have applied `revision` by now. */
  isSettled(revision: number): Promise<boolean>
  /** Applies every change that was committed before the call, by this server or by another server. */
  catchUp(): Promise<void>
  /** Throws AUTHORIZATION_STALE if this server may have missed a change. */
  requireFresh(): void
  /** Adds a cache that is informed of changes from now on; for caches of other areas than iam. */
  listen(listener: FeedListener): void
}

/** A cache that the feed informs of changes. */
export interface FeedListener {
  /** Applies a change, at its commit or when the change of another server is read. Repeated calls must be harmless. */
  changed(kind: ChangeKind, key: string): void
  /** Drops all entries, because any entry may be outdated. */
  reset(): void
}
