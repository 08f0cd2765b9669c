// Copied by ninefold. Do not edit: generate writes it again.

import type { CallContext, Principal } from './context.ts'
import type { Access, Route } from './route.ts'
import type { WireRequest } from './wire.ts'

/** The decoded and unchecked parameters of a path; undefined for a name that the path does not have. */
export interface PathParameters {
  get(name: string): string | undefined
}

/** The result of an authorization. */
export interface Authorized {
  /** Only the request decides: `authorizeRequest` must be called. */
  readonly isUndecided?: boolean
  /** The row that the decision has read, for `context.handedOn` of the handler. */
  readonly handedOn?: object | undefined
}

/** The authentication and authorization of every call before its handler; IAM implements them (conventions §4, §12). */
export interface Doors {
  /**
   * Returns the caller. Throws `ApiError` (TOKEN_MISSING ...) if `access` needs a bearer token and there is no valid
   * one.
   */
  authenticate(request: WireRequest, access: Access | undefined): Promise<Principal | undefined>
  /** Throws `ApiError` IAM_PERMISSION_DENIED. Returns undefined if the call is decided and the handler needs no row. */
  authorize(context: CallContext, route: Route<unknown, unknown>, path: PathParameters): Promise<Authorized | void>
  /**
   * Called once the request is read, for decisions that depend on it; `given` is not checked yet. Throws as
   * `authorize`, or `ApiError` FIELD_INVALID if a value that decides is malformed.
   */
  authorizeRequest?(
    context: CallContext,
    route: Route<unknown, unknown>,
    path: PathParameters,
    given: Readonly<Record<string, unknown>>,
  ): Promise<void>
}
