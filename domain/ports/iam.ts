import type { Reader, Transaction } from './store.ts'
import type { Scope } from './scope.ts'

/** A scope of an organisation whose tree the transaction has locked, so that the tree need not be read again. */
export interface HeldScope {
  readonly scope: Scope
  /** The scopes from the organisation to `scope` itself. */
  readonly chain: readonly Scope[]
}

/** The kind of a principal, and its status: `ACTIVE`, `INVITED` ... */
export interface FoundPrincipal {
  readonly kind: 'user' | 'service_account'
  readonly status: string
}

/** The functions of iam for other areas (conventions §14, iam.md 4.10). */
export interface Iam {
  /** Returns a user or service account; undefined if there is none, and for the system principal. */
  findPrincipal(reader: Reader, id: string): Promise<FoundPrincipal | undefined>
  /**
   * Gives the creator or named owner of an organisation or workspace the administrator's role there, unless inherited
   * bindings without condition or end grant the whole role already. The system principal gets no role.
   */
  grantCreator(tx: Transaction, principal: string, scope: HeldScope): Promise<void>
  /** Creates the service account of this name in a workspace, without a role, unless it exists. Returns its id. */
  ensureServiceAccount(tx: Transaction, workspace: HeldScope, name: string): Promise<string>
  /**
   * Tells every server that a scope was deleted, moved or changed its state. Locks the revision. A new scope needs no
   * notice: absence is never cached.
   */
  scopeChanged(tx: Transaction, scope: Scope, kind: 'MOVED' | 'STATE' | 'DELETED'): Promise<void>
}
