import type { Transaction } from '../../ports/store.ts'

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
  /** The last revision that `revise` made in a transaction. */
  revised(tx: Transaction): number | undefined
  /**
   * Whether another server has to apply what is changed in a transaction; one may come until it is committed, so that
   * `settled` is asked behind it in any case.
   */
  isFollowed(tx: Transaction): Promise<boolean>
  /** Resolves true when all other servers have applied `revision` or lost their lease, false when that takes longer than 3.5 s. */
  settled(revision: number): Promise<boolean>
  /** Whether they have by now. */
  isSettled(revision: number): Promise<boolean>
  /** Throws AUTHORIZATION_STALE when this server may have missed a change. */
  requireFresh(): void
}

/** Who keeps in memory what changes may concern. */
export interface FeedListener {
  /** It changed; called at the commit, or when it was learned from another server. More than once is harmless. */
  changed(kind: ChangeKind, key: string): void
  /** Everything may have changed. */
  reset(): void
}
