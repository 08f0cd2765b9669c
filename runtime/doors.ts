import type { CallContext, Principal } from './context.ts'
import type { Access, Route } from './route.ts'
import type { WireRequest } from './wire.ts'

/** The two questions every call is asked before its handler; IAM answers them (conventions §4, §12). */
export interface Doors {
  /** Who calls. Throws `ApiError` (TOKEN_MISSING ...) when `access` wants a bearer and none holds. */
  authenticate(request: WireRequest, access: Access | undefined): Promise<Principal | undefined>
  /** Throws `ApiError` IAM_PERMISSION_DENIED. `path` are the decoded path parameters, not yet checked. */
  authorize(context: CallContext, route: Route<unknown, unknown>, path: Readonly<Record<string, string>>): Promise<void>
}
