import { ApiError } from '../../runtime/errors.ts'
import { doorReasons } from '../door-reasons.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/** One answer for every refusal: it tells neither what exists nor which rule refused (conventions §12). */
export const permissionDenied = (permission: string, { id, type }: Scope): ApiError =>
  new ApiError(doorReasons.permissionDenied, 'permission denied', { permission, scope_type: type, scope_id: id })
