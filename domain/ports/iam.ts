import type { Scope } from './operations.ts'
import type { Reader, Transaction } from './store.ts'

/** What other areas ask iam about principals (conventions §14). */
export interface Principals {
  /** The kind and status of a principal, or undefined when there is none. */
  find(
    reader: Reader,
    id: string,
  ): Promise<{ readonly kind: 'user' | 'service_account'; readonly status: string } | undefined>
}

/** A scope of an organisation whose tree the transaction holds alone: nothing of the tree has to be read for it. */
export interface HeldScope {
  readonly scope: Scope
  /** The scopes from the organisation to `scope` itself. */
  readonly chain: readonly Scope[]
}

/** What the tree tells iam, each in the transaction of what happens (iam.md 4.10). */
export interface TreeChanges {
  /**
   * Gives who made an organisation or workspace, or its named owner, the administrator's role there, unless inherited
   * bindings without condition or end give all of it already. The system principal gets none.
   */
  grantCreator(tx: Transaction, principal: string, scope: HeldScope): Promise<void>
  /** Makes the service account of that name in a workspace, without a role, unless there is one; answers its id. */
  ensureServiceAccount(tx: Transaction, workspace: HeldScope, name: string): Promise<string>
  /**
   * Tells every server that a scope went, lies elsewhere or has another state; holds the revision. Of one that comes
   * there is nothing to tell: who asked for it before was told that it is not there, and nobody keeps that.
   */
  scopeChanged(tx: Transaction, scope: Scope, kind: 'MOVED' | 'STATE' | 'DELETED'): Promise<void>
}
