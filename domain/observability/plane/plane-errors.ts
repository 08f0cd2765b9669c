import type { ApiError } from '../../../runtime/errors.ts'
import type { RenderError } from '../../../runtime/status.ts'

/** The HTTP statuses of the plane that differ from those of the platform (observability.md 5), keyed by reason. */
const statuses: Readonly<Record<string, number>> = { PAYLOAD_TOO_LARGE: 413, WORKSPACE_NOT_ACTIVE: 403 }

/** The statuses of errors whose reason has several statuses, keyed by the error. */
const own = new WeakMap<object, number>()

/** Gives an error a status of its own. */
export function withStatus(status: number, error: ApiError): ApiError {
  own.set(error, status)
  return error
}

/** Renders an error of the plane with its status. */
export const renderPlaneError: RenderError = (answer, error) => ({
  ...answer,
  status: own.get(error) ?? statuses[error.reason] ?? answer.status,
})
