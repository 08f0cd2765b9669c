import type { CallContext } from '../../../runtime/context.ts'
import type { Transaction } from '../../ports/store.ts'
import type { TakeOverGuard } from '../credentials/credential-tokens.ts'
import { mayTakeOver, requireOtherAdministrator, requireTakeOver, type TakeOver } from '../grants/escalation.ts'
import { givableRole, giveRole, type RoleGrant } from '../grants/grants.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import type { StoredUser } from '../collections/users-store.ts'

/** The rules of iam.md 4.5 for calls on users. All checks run under the lock of the revision. */
export interface UserGuards {
  /** Checks rule E4: throws ESCALATION_DENIED unless the caller could grant all permissions of the user. */
  requireTakeOver(tx: Transaction, context: CallContext, target: StoredUser, kind: TakeOver): Promise<void>
  /** Checks rule E5: throws LAST_ADMINISTRATOR if no other administrator would remain. */
  requireOtherAdministrator(tx: Transaction, context: CallContext, target: StoredUser): Promise<void>
  /** Returns whether the creator of a token that was returned in a response still passes rule E4. */
  readonly mayTakeOver: TakeOverGuard
  /**
   * Checks rules E1, E3 and E6. Returns a function that grants the role in the same transaction, and throws if the
   * binding exists or a limit is reached.
   */
  givableRole(tx: Transaction, grant: RoleGrant): Promise<() => Promise<void>>
}

/** Returns the guards with the rules of the platform. */
export const userGuards = (parts: IamEnvironment): UserGuards => ({
  requireTakeOver: (tx, context, target, kind) => requireTakeOver(tx, parts, context, target, kind),
  requireOtherAdministrator: (tx, context, target) => requireOtherAdministrator(tx, parts, context, target),
  mayTakeOver: (reader, minter, target, now) => mayTakeOver(reader, parts, minter, target, now),
  async givableRole(tx, grant) {
    const role = await givableRole(tx, parts, grant)
    return async () => void (await giveRole(tx, parts, grant.context, role))
  },
})
