import { ApiError, clientReasons } from '../../runtime/errors.ts'
import { readErrorBody } from '../../runtime/reply.ts'
import { fromStatus } from '../../runtime/status.ts'
import { CommandError } from '../exit-codes.ts'

/** Returns the error of an answer that refuses a transfer. */
export const refusalOf = async (answer: Response): Promise<ApiError> => fromStatus(answer, await readErrorBody(answer))

/** Returns CONNECTION_FAILED. */
export function connectionFailed(message: string, cause?: unknown): ApiError {
  return Object.assign(new ApiError(clientReasons.CONNECTION_FAILED, message), { cause })
}

/** Returns the error of a transfer: what its two ends have said, or else CONNECTION_FAILED. */
export const faultOf = (error: unknown): Error =>
  error instanceof ApiError || error instanceof CommandError
    ? error
    : connectionFailed(`a transfer got no answer: ${error}`, error)
