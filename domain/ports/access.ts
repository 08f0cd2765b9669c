import type { CallContext } from '../../runtime/context.ts'
import type { PathParameters } from '../../runtime/doors.ts'
import type { Reader, Where } from './store.ts'
import type { Scope } from './scope.ts'

/**
 * Authorization checks of domain code, for calls whose scope is in a row or in a body (conventions §12). If the scope
 * is in the path, the server checks the authorization before the handler runs.
 */
export interface Authorizer {
  /**
   * Throws IAM_PERMISSION_DENIED unless the caller holds `permission` at `scope` or above. The error names the scope
   * `told`, by default `scope`. If the scope comes from a row, `told` must be the same for an existing and an absent
   * row.
   */
  require(context: CallContext, permission: string, scope: Scope, told?: Scope): Promise<void>
  /** Returns whether the caller holds `permission` at `scope` or above. */
  holds(context: CallContext, permission: string, scope: Scope): Promise<boolean>
  /**
   * Returns the rows of a filtered list that the caller may see by `permission`; with `within`, the scope of the path,
   * the list contains only rows there. Throws IAM_PERMISSION_DENIED if the caller holds `permission` at no scope, or
   * with `within` at no scope above, at or below `within`. With `isOwn`, `visible` does not throw, because the list
   * also shows the caller's own rows, which the caller of `visible` adds.
   */
  visible(
    context: CallContext,
    permission: string,
    options?: { readonly within?: Scope; readonly isOwn?: boolean },
  ): Promise<VisibleRows>
}

/**
 * The rows that a caller may see in a filtered list (conventions §12): all rows, the rows whose scope id is in
 * `scopes`, or all rows except the rows of the workspaces whose ids are in `allBut`.
 */
export type VisibleRows =
  'everything' | { readonly scopes: ReadonlySet<string> } | { readonly allBut: ReadonlySet<string> }

/** Returns the filter for the visible rows; `column` is the column with the id of a row's scope. */
export function seenBy(seen: VisibleRows, column: string): Where {
  if (seen === 'everything') return {}
  return { [column]: 'scopes' in seen ? [...seen.scopes] : { noneOf: [...seen.allBut] } }
}

/** The scope at which a call is authorized (conventions §4, §12). */
export interface Asked {
  /**
   * The scope; undefined if the scope or the row does not exist. Only a caller with the permission at PLATFORM learns
   * of the absence.
   */
  readonly scope: Scope | undefined
  /**
   * The scope that an error names: the scope in the request, or PLATFORM if the request has a row id only. The scope is
   * the same whether or not the row exists.
   */
  readonly told: Scope
  /** The principal that created or owns the row, for operations that this principal may always call. */
  readonly owner?: string | undefined
  /**
   * The row, if the row was read to find the scope. The handler receives the row as `context.handedOn`, and need not
   * read the row again.
   */
  readonly handedOn?: object | undefined
}

/** The unvalidated input of a call: decoded path parameters, and all other members by their names in the request. */
export interface Sent {
  readonly path: PathParameters
  /** The body and query members; present for operations whose scope is in a body or query. */
  readonly given?: Readonly<Record<string, unknown>> | undefined
  readonly context: CallContext
}

/**
 * Finds the scope of a call whose path names neither `workspace` nor `organisation` nor a scope: the scope of a row, of
 * a node of the tree, or of a value in the request. Throws FIELD_INVALID if the value that names the scope is
 * malformed.
 */
export type ScopeOf = (reader: Reader, sent: Sent) => Promise<Asked>

/**
 * The scope finders, keyed by operationId. With `handler`, the handler itself checks the authorization through an
 * `Authorizer`.
 */
export type AccessScopes = Readonly<Record<string, ScopeOf | 'handler'>>

/** The scope PLATFORM, which errors name for requests with a row id only. */
export const platform: Scope = { type: 'PLATFORM', id: '' }
