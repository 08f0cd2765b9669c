import type { CallContext } from '../../runtime/context.ts'
import type { PathParameters } from '../../runtime/doors.ts'
import type { Reader, Where } from './store.ts'
import type { Scope } from './scope.ts'

/**
 * Authorization questions that only domain code can ask, because the scope stands in a row or in a body (conventions
 * §12). The server decides a scope that stands in the path before it calls the handler.
 */
export interface Authorizer {
  /**
   * Throws IAM_PERMISSION_DENIED unless the caller holds `permission` at `scope` or above. The refusal names the scope
   * `told`, by default `scope`. If only a row tells the scope, `told` must be the same with and without the row.
   */
  require(context: CallContext, permission: string, scope: Scope, told?: Scope): Promise<void>
  /** Whether the caller holds `permission` at `scope` or above. */
  holds(context: CallContext, permission: string, scope: Scope): Promise<boolean>
  /**
   * Returns the rows of a filtered list that the caller may see. Throws IAM_PERMISSION_DENIED if the caller holds
   * `permission` nowhere (or nowhere within `within`, the scope of the path), unless `isOwn` is set: then the caller sees
   * its own rows.
   */
  visible(
    context: CallContext,
    permission: string,
    options?: { readonly within?: Scope; readonly isOwn?: boolean },
  ): Promise<VisibleRows>
}

/**
 * The visible rows of a filtered list (conventions §12): all rows, only the rows at these scopes, or all rows except
 * those of these workspaces.
 */
export type VisibleRows =
  'everything' | { readonly scopes: ReadonlySet<string> } | { readonly allBut: ReadonlySet<string> }

/** Narrows a list to the visible rows, by the column that holds the scope of a row. */
export function seenBy(seen: VisibleRows, column: string): Where {
  if (seen === 'everything') return {}
  return { [column]: 'scopes' in seen ? [...seen.scopes] : { noneOf: [...seen.allBut] } }
}

/** The place where a call is authorized (conventions §4, §12). */
export interface Asked {
  /** Undefined if there is no such scope or row. Only a caller with the permission at PLATFORM learns this. */
  readonly scope: Scope | undefined
  /**
   * The scope that a refusal names: the scope that the caller named, or PLATFORM for bare ids. It is the same whether
   * or not the row exists.
   */
  readonly told: Scope
  /** The principal that caused or owns the row, for operations that are open to this principal. */
  readonly owner?: string | undefined
  /**
   * The row, if it was read to find the scope. The handler gets it as `context.handedOn` and need not read it again.
   */
  readonly handedOn?: object | undefined
}

/** The unchecked input of a call: decoded path parameters, and all other members by their names in the request. */
export interface Sent {
  readonly path: PathParameters
  /** Present for operations whose scope stands in a body or query. */
  readonly given?: Readonly<Record<string, unknown>> | undefined
  readonly context: CallContext
}

/**
 * Finds the scope of a call whose path names neither `workspace` nor `organisation` nor a scope: the scope of a row, of
 * a node of the tree, or of a value in the request. Throws FIELD_INVALID if the value that names the scope is
 * malformed.
 */
export type ScopeOf = (reader: Reader, sent: Sent) => Promise<Asked>

/** Scope finders by operationId. `handler` leaves the authorization to the handler, which asks `Access`. */
export type AccessScopes = Readonly<Record<string, ScopeOf | 'handler'>>

/** The scope that refusals of bare ids name. */
export const platform: Scope = { type: 'PLATFORM', id: '' }
