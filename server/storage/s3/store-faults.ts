import { S3ServiceException } from '@aws-sdk/client-s3'
import { RemoteFault, type RemoteFaultKind } from '../../../domain/storage/remote-store/remote-fault.ts'

/** The kinds of faults by the codes of errors of S3. */
const kinds: ReadonlyMap<string, RemoteFaultKind> = new Map([
  ['NoSuchBucket', 'bucket'],
  ['NoSuchKey', 'object'],
  ['NotFound', 'object'],
  ['NoSuchVersion', 'version'],
  ['NoSuchUpload', 'upload'],
  ['BucketAlreadyExists', 'exists'],
  ['BucketNotEmpty', 'notEmpty'],
  ['VersionedBucketNotEmpty', 'notEmpty'],
  ['PreconditionFailed', 'precondition'],
  ['ConditionalRequestConflict', 'precondition'],
  ['InvalidPart', 'part'],
  ['InvalidPartNumber', 'part'],
  ['InvalidPartOrder', 'order'],
  ['EntityTooSmall', 'small'],
  ['InvalidArgument', 'invalid'],
  ['NotImplemented', 'unsupported'],
  ['MethodNotAllowed', 'unsupported'],
  ['AccessDenied', 'refused'],
  ['InvalidAccessKeyId', 'refused'],
  ['SignatureDoesNotMatch', 'refused'],
])

/** The kinds of faults by the statuses of answers whose code says nothing, such as the answers to HEAD. */
const kindsByStatus: ReadonlyMap<number, RemoteFaultKind> = new Map([
  [400, 'invalid'],
  [403, 'refused'],
  [404, 'object'],
  [405, 'unsupported'],
  [412, 'precondition'],
  [501, 'unsupported'],
])

/** Returns the fault of a request from the error that the client of S3 has thrown. */
export function faultOf(error: unknown): RemoteFault {
  if (error instanceof RemoteFault) return error
  if (!(error instanceof S3ServiceException))
    return new RemoteFault('unavailable', `the S3 store does not answer (${codeOf(error)})`, { cause: error })
  const { httpStatusCode: status = 0 } = error.$metadata
  const kind = kinds.get(error.name) ?? kindsByStatus.get(status) ?? 'unavailable'
  return new RemoteFault(kind, `the S3 store answers ${printable(error.name)} with the status ${status}`, {
    cause: error,
  })
}

/** Returns the code of an error of the connection, such as ECONNREFUSED; the name of another error. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no error'
  const code: unknown = Reflect.get(error, 'code')
  return printable(typeof code === 'string' ? code : error.name)
}

/** Returns a text of a store as a part of a message. */
const printable = (text: string): string => text.replace(/[^\w.-]/g, '').slice(0, 80) || 'an error without a code'
