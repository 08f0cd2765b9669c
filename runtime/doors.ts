import type { CallContext, Principal } from './context.ts'
import type { Access, Route } from './route.ts'
import type { WireRequest } from './wire.ts'

/** The decoded and unchecked parameters of a path; undefined for a name that the path does not have. */
export interface PathParameters {
  get(name: string): string | undefined
}

/** The result of an authorization. */
export interface Authorized {
  /** True if the decision depends on the request: the caller must then call `authorizeRequest`. */
  readonly isUndecided?: boolean
  /** The row that the decision has read; the handler receives the row as `context.handedOn`. */
  readonly handedOn?: object | undefined
}

/** The authentication and authorization of every call before its handler; IAM implements them (conventions §4, §12). */
export interface Doors {
  /**
   * Returns the caller; undefined if the operation is public, or accepts a call without a token. Throws `ApiError`
   * (such as TOKEN_MISSING) if `access` requires a bearer token and the request has no valid token.
   */
  authenticate(request: WireRequest, access: Access | undefined): Promise<Principal | undefined>
  /**
   * Throws `ApiError` IAM_PERMISSION_DENIED if the caller lacks the permission. Returns undefined if the call is
   * allowed and there is no row for the handler.
   */
  authorize(context: CallContext, route: Route<unknown, unknown>, path: PathParameters): Promise<Authorized | void>
  /**
   * Decides a call whose authorization depends on the request. The dispatcher calls `authorizeRequest` after
   * `authorize`, once the request is parsed; `given` is not checked yet. Throws as `authorize` does, or `ApiError`
   * FIELD_INVALID if a value that the decision needs is malformed. Returns undefined if there is nothing to decide.
   */
  authorizeRequest?(
    context: CallContext,
    route: Route<unknown, unknown>,
    path: PathParameters,
    given: Readonly<Record<string, unknown>>,
  ): Promise<void> | undefined
}
