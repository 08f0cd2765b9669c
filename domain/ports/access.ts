import type { CallContext } from '../../runtime/context.ts'
import type { PathParameters } from '../../runtime/doors.ts'
import type { Reader, Where } from './store.ts'
import type { Scope } from './scope.ts'

/**
 * Questions that only domain code can put, because the scope stands in a row or a body (conventions §12). What the
 * path alone decides was decided before the handler was called.
 */
export interface Access {
  /**
   * Throws IAM_PERMISSION_DENIED unless the caller holds `permission` at `scope` or above it. The refusal names `told`,
   * by default the scope: where only a row tells the scope, it must be the same as when there is no row.
   */
  require(context: CallContext, permission: string, scope: Scope, told?: Scope): Promise<void>
  /** Whether the caller holds `permission` at `scope` or above it. */
  holds(context: CallContext, permission: string, scope: Scope): Promise<boolean>
  /**
   * Which rows of a filtered list the caller may see. Throws IAM_PERMISSION_DENIED when the caller holds `permission`
   * nowhere (`within` the scope of the path, when there is one), unless `isOwn`: then the caller's own rows are seen.
   */
  visible(
    context: CallContext,
    permission: string,
    options?: { readonly within?: Scope; readonly isOwn?: boolean },
  ): Promise<Visible>
}

/**
 * What of a filtered list is seen (conventions §12): everything, rows at these scopes, which are all there are, or rows
 * at all but these workspaces.
 */
export type Visible = 'everything' | { readonly scopes: ReadonlySet<string> } | { readonly allBut: ReadonlySet<string> }

/** What narrows a list to what is seen, by the column that has the scope of a row. */
export function seenBy(seen: Visible, column: string): Where {
  if (seen === 'everything') return {}
  return { [column]: 'scopes' in seen ? [...seen.scopes] : { noneOf: [...seen.allBut] } }
}

/** Where a call is to be authorized (conventions §4, §12). */
export interface Asked {
  /** Undefined when there is no such scope or row: only who holds the key at PLATFORM is told so. */
  readonly scope: Scope | undefined
  /** What a refusal names, the same whether or not there is something: what the caller named, PLATFORM for bare ids. */
  readonly told: Scope
  /** The principal that caused or owns the row, for operations that are open to such a principal. */
  readonly owner?: string | undefined
  /** A row that was read to find the scope, which spares the handler a read: its `context.handedOn`. */
  readonly handedOn?: object | undefined
}

/** What a call was sent with, unchecked: path parameters decoded, the rest by name as a request has it. */
export interface Sent {
  readonly path: PathParameters
  /** Present for what only a body or a query tells. */
  readonly given?: Readonly<Record<string, unknown>> | undefined
  readonly context: CallContext
}

/**
 * Finds where a call is authorized when its path does not say it by `workspace`, `organisation` or a scope: for what
 * stands in a row, a node of the tree, or in what is sent. Throws FIELD_INVALID when what names the scope has no form.
 */
export type ScopeOf = (reader: Reader, sent: Sent) => Promise<Asked>

/** By operationId; `handler` where only the handler can tell, which then asks by `Access`. */
export type AccessScopes = Readonly<Record<string, ScopeOf | 'handler'>>

/** What refusals of bare ids name. */
export const platform: Scope = { type: 'PLATFORM', id: '' }
