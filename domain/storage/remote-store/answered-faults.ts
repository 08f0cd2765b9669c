import { engineCapabilityUnsupported, engineUnavailable } from '../../../output/shared/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { RemoteFault, type RemoteFaultKind } from './remote-fault.ts'

/** The errors that a call answers instead of faults, by the kinds of the faults. */
export type FaultErrors = { readonly [Kind in RemoteFaultKind]?: () => ApiError }

/**
 * Returns the result of requests to a store. Throws the errors of `errors` for faults of their kinds,
 * ENGINE_CAPABILITY_UNSUPPORTED for functions that the store lacks, and ENGINE_UNAVAILABLE for all other faults.
 */
export async function answered<R>(request: Promise<R>, errors: FaultErrors = {}): Promise<R> {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error
    const known = errors[error.kind]?.()
    if (known) throw known
    if (error.kind === 'unsupported')
      throw engineCapabilityUnsupported('the S3 store lacks the function', { capability: 'S3' })
    throw unavailable(error)
  }
}

/** Returns ENGINE_UNAVAILABLE for a fault of a store. */
export const unavailable = ({ message }: RemoteFault): ApiError =>
  engineUnavailable(`${message}; the call may be repeated`, { retryAfterSeconds: 5 })
