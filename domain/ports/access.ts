import type { CallContext } from '../../runtime/context.ts'
import type { Scope } from './operations.ts'

/**
 * Questions that only domain code can put, because the scope stands in a row or a body (conventions §12). What the
 * path alone decides was decided before the handler was called.
 */
export interface Access {
  /** Throws IAM_PERMISSION_DENIED unless the caller holds `permission` at `scope` or above it. */
  require(context: CallContext, permission: string, scope: Scope): Promise<void>
  /** Whether the caller holds `permission` at `scope` or above it. */
  holds(context: CallContext, permission: string, scope: Scope): Promise<boolean>
}
