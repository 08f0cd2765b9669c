import type { Transaction } from '../ports/store.ts'

/** What changed; the key is a principal, role, workspace (POLICY), scope or session id. */
export type ChangeKind = 'PRINCIPAL' | 'ROLE' | 'POLICY' | 'SCOPE' | 'SESSION'

/** Makes what was answered DONE hold on every server (iam.md 4.3). */
export interface Feed {
  /**
   * Holds the revision until the transaction ends. Taken after the organisation of the tree and before any row is read
   * that the change is decided on, so that what is decided on stays as it was read.
   */
  hold(tx: Transaction): Promise<void>
  /** Records a change in the caller's transaction, holding the revision; answers the new one. Applied here at commit. */
  revise(tx: Transaction, kind: ChangeKind, key: string): Promise<number>
  /** Whether others may serve the store: then a change is done once each of them has applied it or lost its lease. */
  readonly isShared: boolean
  /** Resolves true when all live servers have applied `revision`, false when that takes longer than 3.5 s. */
  settled(revision: number): Promise<boolean>
  /**
   * The last revision that `revise` made in a transaction, when there is another server that has to apply it; asked at
   * the end of the transaction.
   */
  unsettled?(tx: Transaction): Promise<number | undefined>
}

/** Who keeps in memory what changes may concern. */
export interface FeedListener {
  /** It changed; called at the commit, or when it was learned from another server. More than once is harmless. */
  changed(kind: ChangeKind, key: string): void
  /** Everything may have changed. */
  reset(): void
}
