import { ApiError, type Reason } from '../../runtime/errors.ts'
import type { Scope } from '../ports/scope.ts'

/** The reason of a refused authorization, which belongs to iam whatever area was called (conventions §7). */
export const permissionDeniedReason = {
  reason: 'IAM_PERMISSION_DENIED',
  rpc: 'PERMISSION_DENIED',
  code: 2_000_105,
  domain: { name: 'iam', base: 2_000_000 },
} as const satisfies Reason

/**
 * Returns the error of every refusal. The error reveals neither the existence of a resource nor the rule that refused
 * (conventions §12).
 */
export const permissionDenied = (permission: string, { id, type }: Scope): ApiError =>
  new ApiError(permissionDeniedReason, 'permission denied', { permission, scope_type: type, scope_id: id })
