// Copied by ninefold. Do not edit: generate writes it again.

import type { CallContext, Principal } from './context.ts'
import type { Access, Route } from './route.ts'
import type { WireRequest } from './wire.ts'

/** The parameters of a path, decoded and not yet checked; undefined for a name that the path does not have. */
export interface PathParameters {
  get(name: string): string | undefined
}

/** What the door knows of a call that it has let pass. */
export interface Authorized {
  /** Only the request decides: `authorizeRequest` does. */
  readonly isUndecided?: boolean
  /** A row that the decision has read, which spares the handler a read: its `context.handedOn`. */
  readonly handedOn?: object | undefined
}

/** The two questions every call is asked before its handler; IAM answers them (conventions §4, §12). */
export interface Doors {
  /** Who calls. Throws `ApiError` (TOKEN_MISSING ...) when `access` wants a bearer and none holds. */
  authenticate(request: WireRequest, access: Access | undefined): Promise<Principal | undefined>
  /** Throws `ApiError` IAM_PERMISSION_DENIED. Answers nothing when all is decided and the handler needs nothing of it. */
  authorize(context: CallContext, route: Route<unknown, unknown>, path: PathParameters): Promise<Authorized | void>
  /**
   * Asked once more when the request has been read, for what only it tells; `given` is not checked yet. Throws as
   * `authorize`, or `ApiError` FIELD_INVALID when what it hangs on has no form.
   */
  authorizeRequest?(
    context: CallContext,
    route: Route<unknown, unknown>,
    path: PathParameters,
    given: Readonly<Record<string, unknown>>,
  ): Promise<void>
}
