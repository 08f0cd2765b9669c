import type { Principal } from '../../runtime/context.ts'
import type { Reader, Transaction } from './store.ts'
import type { Scope } from './scope.ts'

/** A scope in an organisation whose tree the transaction has locked, so that the tree need not be read again. */
export interface HeldScope {
  readonly scope: Scope
  /** The scopes from the organisation to `scope` itself. */
  readonly chain: readonly Scope[]
}

/** The kind and the status (`ACTIVE`, `INVITED` ...) of a principal. */
export interface FoundPrincipal {
  readonly kind: 'user' | 'service_account'
  readonly status: string
}

/** The functions of iam for other areas (conventions §14, iam.md 4.10). */
export interface Iam {
  /**
   * Returns the principal of an access token, for a data plane that takes the token in another form than the header
   * `Authorization: Bearer`. Rejects with TOKEN_INVALID, TOKEN_EXPIRED, TOKEN_REVOKED and AUTHORIZATION_STALE.
   */
  authenticateToken(token: string): Promise<Principal>
  /**
   * Returns the id of the service account of an assertion (iam.md 4.7) for an audience that is not tokens:refresh; such an
   * assertion may be sent repeatedly. `now` is in milliseconds since 1970. Throws ASSERTION_INVALID.
   */
  accountOfAssertion(reader: Reader, assertion: string, audience: string, now: number): Promise<string>
  /** Returns a user or service account; undefined if no such principal exists, and for the system principal. */
  findPrincipal(reader: Reader, id: string): Promise<FoundPrincipal | undefined>
  /**
   * Grants the administrator role to the creator or named owner of an organisation or workspace, unless inherited
   * permanent bindings without a condition already give all permissions of the role. The system principal receives no
   * role.
   */
  grantCreator(tx: Transaction, principal: string, scope: HeldScope): Promise<void>
  /**
   * Creates a service account with this name in a workspace, without a role, unless the account exists. Returns the id
   * of the account.
   */
  ensureServiceAccount(tx: Transaction, workspace: HeldScope, name: string): Promise<string>
  /**
   * Records in the feed that a scope was deleted, moved or changed its state, and locks the revision of the feed. A new
   * scope needs no notice, because absence is never cached. For DELETED, also deletes the bindings at the scope, and
   * starts the purge of the other iam rows of an organisation or group.
   */
  scopeChanged(tx: Transaction, scope: Scope, kind: 'MOVED' | 'STATE' | 'DELETED'): Promise<void>
}
