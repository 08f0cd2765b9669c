import type { RevokeReason, TokenResponse, User } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Reader, Transaction } from '../../ports/store.ts'

/** Sessions of users, and the tokens that stand for them (iam.md 4.7). */
export interface Sessions {
  /** Sees to it that `open` can sign. To be awaited before the transaction. */
  ready?(): Promise<void>
  /**
   * Whether `open` would revoke the oldest session: then the feed is to be held before the user is locked. `now` is
   * milliseconds since 1970.
   */
  isFull?(reader: Reader, user: Pick<User, 'id'>, now: number): Promise<boolean>
  /**
   * Opens a session of an ACTIVE user in the caller's transaction, which holds the user's row. The 21st revokes the
   * oldest. The tokens are valid once the transaction has committed.
   */
  open(tx: Transaction, user: Pick<User, 'id'>, context: CallContext): Promise<TokenResponse>
  /** Revokes all ACTIVE tokens of a principal but `except`, in the caller's transaction, and tells every server. */
  endAll(tx: Transaction, principal: string, reason: RevokeReason, time: string, except?: string): Promise<void>
}
