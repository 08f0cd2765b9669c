import type { Reader, Transaction } from './store.ts'
import type { Scope } from './scope.ts'

/** A scope of an organisation whose tree the transaction holds alone: nothing of the tree has to be read for it. */
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
  /** A user or service account; undefined when there is none, and for the system principal. */
  findPrincipal(reader: Reader, id: string): Promise<FoundPrincipal | undefined>
  /**
   * Gives the maker of an organisation or workspace, or its named owner, the administrator's role there, unless
   * inherited bindings without condition or end give all of the role already. The system principal gets none.
   */
  grantCreator(tx: Transaction, principal: string, scope: HeldScope): Promise<void>
  /** Makes the service account of that name in a workspace, without a role, unless there is one; answers its id. */
  ensureServiceAccount(tx: Transaction, workspace: HeldScope, name: string): Promise<string>
  /**
   * Tells every server that a scope was deleted, moved or changed its state; holds the revision. A new scope needs no
   * notice: absence is never cached.
   */
  scopeChanged(tx: Transaction, scope: Scope, kind: 'MOVED' | 'STATE' | 'DELETED'): Promise<void>
}
