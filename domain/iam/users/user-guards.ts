import type { CallContext } from '../../../runtime/context.ts'
import type { Transaction } from '../../ports/store.ts'
import type { TakeOverGuard } from '../credentials/credential-tokens.ts'
import { mayTakeOver, requireOtherAdministrator, requireTakeOver, type TakeOver } from '../grants/escalation.ts'
import { givableRole, giveRole, type RoleGrant } from '../grants/grants.ts'
import type { IamParts } from '../interfaces/iam-parts.ts'
import type { StoredUser } from '../collections/users-store.ts'

/** The rules of iam.md 4.5 as calls on users need them. All are asked under the revision. */
export interface UserGuards {
  /** E4. Throws ESCALATION_DENIED unless the caller could have given the user all it holds. */
  requireTakeOver(tx: Transaction, context: CallContext, target: StoredUser, kind: TakeOver): Promise<void>
  /** E5. Throws LAST_ADMINISTRATOR when nobody would be left beside the user. */
  requireOtherAdministrator(tx: Transaction, context: CallContext, target: StoredUser): Promise<void>
  /** E4 of the principal to whom a token was answered. */
  readonly mayTakeOver: TakeOverGuard
  /** E1, E3, E6. Answers what gives the role in the same transaction, which throws the errors of uniqueness and limits. */
  givableRole(tx: Transaction, grant: RoleGrant): Promise<() => Promise<void>>
}

/** The rules as they are. */
export const userGuards = (parts: IamParts): UserGuards => ({
  requireTakeOver: (tx, context, target, kind) => requireTakeOver(tx, parts, context, target, kind),
  requireOtherAdministrator: (tx, context, target) => requireOtherAdministrator(tx, parts, context, target),
  mayTakeOver: (reader, minter, target, now) => mayTakeOver(reader, parts, minter, target, now),
  async givableRole(tx, grant) {
    const role = await givableRole(tx, parts, grant)
    return async () => void (await giveRole(tx, parts, grant.context, role))
  },
})
