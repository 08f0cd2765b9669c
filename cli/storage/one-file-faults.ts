import { ApiError } from '../../runtime/errors.ts'

/** The reasons for which one file cannot be copied while others can. */
const ofOneFile: ReadonlySet<string> = new Set([
  'CHECKSUM_MISMATCH',
  'ETAG_MISMATCH',
  'OBJECT_NAME_INVALID',
  'OBJECT_ALREADY_EXISTS',
  'OBJECT_NOT_FOUND',
  'OBJECT_RETAINED',
  'OBJECT_TOO_LARGE',
  'OBJECT_VERSION_NOT_FOUND',
])

/** The codes of failed system calls for which no further file can be written: a full disk, and a disk for reading only. */
const ofAllFiles: ReadonlySet<unknown> = new Set(['EDQUOT', 'ENOSPC', 'EROFS'])

/** Whether other files can be copied after an error. */
export function isOfOneFile(error: unknown): boolean {
  if (error instanceof ApiError) return ofOneFile.has(error.reason)
  return !(error instanceof TypeError) && !(error instanceof Error && 'code' in error && ofAllFiles.has(error.code))
}
