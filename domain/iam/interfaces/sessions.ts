import type { RevokeReason, TokenResponse, User } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Reader, Transaction } from '../../ports/store.ts'

/** Sessions of users and their tokens (iam.md 4.7). */
export interface Sessions {
  /** Prepares the signing key for `open`. Await `ready` before the transaction. */
  ready?(): Promise<void>
  /**
   * Returns whether `open` would revoke the oldest session. If so, the caller locks the feed before the user. `now` is
   * in milliseconds since 1970.
   */
  isFull?(reader: Reader, user: Pick<User, 'id'>, now: number): Promise<boolean>
  /**
   * Opens a session of an ACTIVE user in the transaction of the caller, which has locked the user's row, and returns
   * the response with the tokens. The 21st session revokes the oldest. The tokens are valid after the commit.
   */
  open(tx: Transaction, user: Pick<User, 'id'>, context: CallContext): Promise<TokenResponse>
  /**
   * Revokes all ACTIVE tokens of a principal except `except`, in the transaction of the caller, and records the change
   * in the feed.
   */
  endAll(tx: Transaction, principal: string, reason: RevokeReason, time: string, except?: string): Promise<void>
}
