import { ApiError } from '../../runtime/errors.ts'
import { doorReasons } from '../door-reasons.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/**
 * Returns the error of every refusal. The error reveals neither the existence of a resource nor the rule that refused
 * (conventions §12).
 */
export const permissionDenied = (permission: string, { id, type }: Scope): ApiError =>
  new ApiError(doorReasons.permissionDenied, 'permission denied', { permission, scope_type: type, scope_id: id })
