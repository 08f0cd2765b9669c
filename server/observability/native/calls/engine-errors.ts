import { engineUnavailable, rateLimited } from '../../../../output/shared/errors.ts'
import { ApiError } from '../../../../runtime/errors.ts'

/** The delays before a retry, in seconds. */
const soonSeconds = 1
const laterSeconds = 5

/** The error of a call on a server that does not hold the lease. */
export const servedElsewhere = () =>
  engineUnavailable('another server of the platform serves the telemetry', { retryAfterSeconds: laterSeconds })

/** The error of a call that finds too many others. */
export const overloaded = () =>
  engineUnavailable('the engine has too many calls at the moment', { retryAfterSeconds: soonSeconds })

/** The error of a call that finds `most` others of its workspace waiting. */
export const crowded = (most: number) =>
  rateLimited(`at most ${most} reads of a workspace can wait for the engine`, { retryAfterSeconds: soonSeconds })

/** The error of a call whose thread has ended. */
export const interrupted = () =>
  engineUnavailable('the engine was interrupted; try again', { retryAfterSeconds: soonSeconds })

/** The error of a call that needs a file that cannot be used; the log names the file. */
export const unusable = () =>
  engineUnavailable('the files of the workspace cannot be used at the moment', { retryAfterSeconds: laterSeconds })

/** Whether an error is one of queries, which a call without a query must not answer. */
export const isQueryError = (error: unknown): boolean => error instanceof ApiError && error.reason.startsWith('QUERY_')
