import { engineUnavailable, etagMismatch, fieldInvalid } from '../../../output/shared/errors.ts'
import { storageCapacityExhausted } from '../../../output/storage/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import type { RenderError } from '../../../runtime/status.ts'
import { ContentLost } from '../../resources/content-lost.ts'
import { ContentFault } from '../contents/content-files.ts'

/** The HTTP statuses of the data plane that differ from those of the platform (storage.md 5), keyed by reason. */
const statuses: Readonly<Record<string, number>> = {
  BUCKET_DELETING: 409,
  CONTENT_LENGTH_REQUIRED: 411,
  CONTENT_TOO_LONG: 413,
  ETAG_MISMATCH: 412,
  OBJECT_ALREADY_EXISTS: 412,
  OBJECT_RETAINED: 403,
  OBJECT_TOO_LARGE: 413,
  QUOTA_EXCEEDED: 403,
  STORAGE_CAPACITY_EXHAUSTED: 507,
  WORKSPACE_NOT_ACTIVE: 403,
}

/** The sizes of contents that were asked for a range without any byte, keyed by the error. */
const unsatisfied = new WeakMap<object, number>()

/** Renders an error of the data plane with its own status. */
export const renderPlaneError: RenderError = (answer, error) => {
  const size = unsatisfied.get(error)
  if (size === undefined) return { ...answer, status: statuses[error.reason] ?? answer.status }
  return { ...answer, status: 416, headers: { ...answer.headers, 'content-range': `bytes */${size}` } }
}

/** Returns the error of a range that has no byte of a content. */
export function rangeUnsatisfiable(size: number): ApiError {
  const description = `must have a byte of the content, which has ${size} bytes`
  const error = fieldInvalid(`Range ${description}`, { badRequest: [{ field: 'Range', description }] })
  unsatisfied.set(error, size)
  return error
}

/** Returns the error of a read whose `If-Match` or `If-Unmodified-Since` does not hold. */
export const preconditionFailed = (etag: string) =>
  etagMismatch(`the object has the etag ${etag} or was written later; read its metadata again`)

/** Returns the error for the caller of a fault of content files. */
export function contentError(fault: ContentFault): ApiError {
  if (fault.kind === 'full')
    return storageCapacityExhausted('the storage of the bucket is full; delete content, or ask an operator for space', {
      retryAfterSeconds: 60,
    })
  if (fault.kind === 'lost') return new ContentLost()
  return engineUnavailable('the storage of the bucket cannot be used at the moment', {
    retryAfterSeconds: fault.kind === 'busy' ? 5 : 60,
  })
}

/** Runs a call, and throws the error for callers in place of a fault of its files. */
export async function sound<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof ContentFault ? contentError(error) : error
  }
}
