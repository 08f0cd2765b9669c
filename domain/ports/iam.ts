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

/** What the tree tells iam, each in the transaction of what happens (iam.md 4.10). */
export interface TreeChanges {
  /**
   * Gives who made an organisation or workspace, or its named owner, the administrator's role there, unless inherited
   * bindings without condition or end give all of it already. The system principal gets none.
   */
  grantCreator(tx: Transaction, principal: string, scope: Scope): Promise<void>
  /** Makes the service account of that name in a workspace, without a role, unless there is one; answers its id. */
  ensureServiceAccount(tx: Transaction, workspace: string, name: string): Promise<string>
  /** Tells every server that a scope came, went, lies elsewhere or has another state; holds the revision. */
  scopeChanged(tx: Transaction, scope: Scope, kind: 'CREATED' | 'MOVED' | 'STATE' | 'DELETED'): Promise<void>
}
