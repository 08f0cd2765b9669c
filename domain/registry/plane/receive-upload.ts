import type { Chunks } from '../../../runtime/media.ts'
import { UploadChanged } from '../blobs/blob-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { digestText, type Digest, type DigestAlgorithm } from '../values/digest.ts'
import { chunkRange, receivedRange } from './content-range.ts'
import { ociError, ociStatus } from './oci-errors.ts'
import type { Body, PlaneCall } from './plane-call.ts'
import { uploadLimit } from './push-limits.ts'

/** The number of bytes of one call after which the bytes are noted, and the room is read again: 16 MiB. */
const notedBytes = 16 * 2 ** 20

/** The status of the refusal of bytes that do not follow the bytes of their upload. */
const misplacedStatus = 416

/** The headers and parameters of a call that carries bytes of an upload. */
export interface UploadRequest {
  readonly digest?: string
  readonly 'digest-algorithm'?: string
  readonly 'content-length'?: string
  readonly 'content-range'?: string
  readonly body?: Body
}

/** The upload that receives the bytes of a call. */
export interface Receiving {
  readonly upload: string
  readonly algorithm: DigestAlgorithm
  /** The number of bytes that the calls before have received. */
  readonly received: number
  /** The expected digest, once the caller has named it. */
  readonly digest?: Digest
  /** Notes the number of received bytes. Returns false if another call has ended the upload. */
  readonly note: (received: number) => Promise<boolean>
}

/**
 * Appends the body of a request, and returns the number of received bytes. Without Content-Range, the body begins after the
 * bytes that the upload had at the begin of the call, so of two calls with the next bytes one is refused. Notes the bytes
 * of a long body while they arrive; the caller notes the end. Throws QUOTA_EXCEEDED, BLOB_UPLOAD_INVALID and
 * BLOB_UPLOAD_UNKNOWN.
 */
export async function receive(
  environment: RegistryEnvironment,
  call: PlaneCall,
  to: Receiving,
  request: UploadRequest,
): Promise<number> {
  const { algorithm, received, upload } = to
  const range = chunkRange(request['content-range'])
  const length = Number(request['content-length'] ?? 0)
  if (range === 'malformed') throw ociError('BLOB_UPLOAD_INVALID', 'Content-Range must be <first>-<last>')
  if (range && length > 0 && range.last - range.first + 1 !== length)
    throw ociError('BLOB_UPLOAD_INVALID', 'Content-Range must have as many bytes as Content-Length says')
  const limit = await limitOf(environment, call, to, length)
  const appending = { algorithm, first: range?.first ?? received, isBegun: received > 0, ...limit }
  const body = noted(environment, call, to, request.body ?? new Blob().stream())
  const appended = await environment.blobs.append(upload, body, appending).catch((error: unknown) => {
    throw error instanceof UploadChanged ? unknownUpload() : error
  })
  if (!appended.isMisplaced) return appended.size
  throw ociError('BLOB_UPLOAD_INVALID', `the next byte of the upload is byte ${appended.size}`, {
    status: misplacedStatus,
    headers: progressHeaders(call, upload, appended.size),
  })
}

/** Whether a call was refused because its bytes have another position, so that nothing was appended. */
export const isMisplacement = (error: unknown): boolean => ociStatus(error) === misplacedStatus

/** Returns the limit of an upload that receives `length` further bytes. Throws QUOTA_EXCEEDED. */
const limitOf = (
  environment: RegistryEnvironment,
  { repository }: PlaneCall,
  { digest, received, upload }: Receiving,
  length: number,
) => uploadLimit(environment, repository, { upload, received, length, digest: digest && digestText(digest) })

/** Passes the chunks of a body on, and notes their bytes each time `notedBytes` have arrived. */
async function* noted(environment: RegistryEnvironment, call: PlaneCall, to: Receiving, body: Chunks): Chunks {
  let arrived = 0
  let next = notedBytes
  for await (const chunk of body) {
    // The last bytes of a body are not noted here, so no other call of the upload can begin after them.
    if (arrived >= next) {
      next = arrived + notedBytes
      if (!(await to.note(to.received + arrived))) throw unknownUpload()
      await limitOf(environment, call, to, arrived)
    }
    arrived += chunk.length
    yield chunk
  }
}

/** Returns the error of an upload that its repository does not have. */
export const unknownUpload = () =>
  ociError('BLOB_UPLOAD_UNKNOWN', 'the repository has no such upload; start another one')

/** Returns the headers that say where an upload goes on. */
export const progressHeaders = (
  { name }: PlaneCall,
  upload: string,
  size: number,
): Readonly<Record<string, string>> => ({
  location: `/v2/${name}/blobs/uploads/${upload}`,
  range: receivedRange(size),
  'docker-upload-uuid': upload,
})
