import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored } from '../../ports/store.ts'
import { UploadChanged } from '../blobs/blob-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { dropUpload, finishUpload, type FinishedUpload } from '../uploads/finish-upload.ts'
import { uploadCollection, type StoredUpload } from '../uploads/uploads-store.ts'
import { digestText, isAlgorithm, parseDigest, type Digest, type DigestAlgorithm } from '../values/digest.ts'
import { chunkRange, receivedRange } from './content-range.ts'
import { ociError } from './oci-errors.ts'
import { allowedCall, digestHeader, type Body, type PlaneCall, type PlaneReply } from './plane-call.ts'
import { recordingQuotas, requirePushable, uploadLimit } from './push-limits.ts'
import { requireDigest } from './read-blob.ts'

/** The headers and parameters of a call that carries bytes of an upload. */
export interface UploadRequest {
  readonly digest?: string
  readonly 'digest-algorithm'?: string
  readonly 'content-length'?: string
  readonly 'content-range'?: string
  readonly body?: Body
}

/** Begins an upload, or takes a whole blob if the request names its digest (end-4a, end-4b). */
export async function startUpload(
  environment: RegistryEnvironment,
  request: UploadRequest,
  context: CallContext,
): Promise<PlaneReply> {
  const { clock, store } = environment
  const call = allowedCall(context)
  requirePushable(call.repository.value)
  const upload = clock.newId()
  if (request.digest !== undefined)
    return recordingQuotas(environment, call, async () => {
      const digest = parsed(request.digest)
      const to = { upload, algorithm: digest.algorithm, received: 0, digest }
      const received = await receive(environment, call, to, request)
      return finish(environment, call, { upload, received }, digest)
    })
  const time = formatMillis(context.now)
  const row: StoredUpload = {
    id: upload,
    workspace_id: call.repository.value.workspace_id,
    repository_id: call.repository.id,
    principal_id: call.context.principal?.id ?? '',
    algorithm: algorithmOf(request['digest-algorithm']),
    offset: 0,
    create_time: time,
    update_time: time,
  }
  await store.tx(tx => tx.insert(uploadCollection, row))
  return progress(call, upload, 0, 202)
}

/** A request for an upload that was begun before. */
type BegunRequest = UploadRequest & { readonly upload: string }

/** Appends bytes to an upload (end-5). */
export const appendUpload = (
  environment: RegistryEnvironment,
  request: BegunRequest,
  context: CallContext,
): Promise<PlaneReply> =>
  pushing(environment, request, context, async (call, upload) => {
    const size = await receive(environment, call, upload, request)
    await noteProgress(environment, upload.upload, size)
    return progress(call, upload.upload, size, 202)
  })

/** Takes the last bytes of an upload, if the request has some, and makes the upload a blob (end-6). */
export const endUpload = (
  environment: RegistryEnvironment,
  request: BegunRequest,
  context: CallContext,
): Promise<PlaneReply> =>
  pushing(environment, request, context, async (call, upload) => {
    const digest = parsed(request.digest)
    const { received } = upload
    const size =
      request.body === undefined ? received : await receive(environment, call, { ...upload, digest }, request)
    return finish(environment, call, { upload: upload.upload, received: Math.max(size, received) }, digest)
  })

/** Runs a call that carries bytes of an upload of its repository. Throws BLOB_UPLOAD_UNKNOWN and REPOSITORY_READ_ONLY. */
async function pushing(
  environment: RegistryEnvironment,
  request: BegunRequest,
  context: CallContext,
  push: (call: PlaneCall, upload: Receiving) => Promise<PlaneReply>,
): Promise<PlaneReply> {
  const call = allowedCall(context)
  requirePushable(call.repository.value)
  const { id, value } = await findUpload(environment, call, request.upload)
  const upload = { upload: id, algorithm: value.algorithm, received: value.offset }
  return recordingQuotas(environment, call, () => push(call, upload))
}

/** Answers the number of received bytes of an upload. */
export async function readUpload(
  environment: RegistryEnvironment,
  request: { readonly upload: string },
  context: CallContext,
): Promise<PlaneReply> {
  const call = allowedCall(context)
  const { id } = await findUpload(environment, call, request.upload)
  return progress(call, id, await environment.blobs.sizeOf(id), 204)
}

/** Ends an upload without a blob. */
export async function cancelUpload(
  environment: RegistryEnvironment,
  request: { readonly upload: string },
  context: CallContext,
): Promise<PlaneReply> {
  const { id } = await findUpload(environment, allowedCall(context), request.upload)
  await environment.store.tx(tx => dropUpload(tx, id))
  await environment.blobs.discard(id)
  return { status: 204 }
}

/** Returns the answer to a push of a blob that the repository has now. */
export const blobCreated = (name: string, digest: string): PlaneReply => ({
  status: 201,
  headers: { location: `/v2/${name}/blobs/${digest}`, [digestHeader]: digest },
})

interface Receiving {
  readonly upload: string
  readonly algorithm: DigestAlgorithm
  /** The number of bytes that the calls before have received. */
  readonly received: number
  /** The expected digest, once the caller has named it. */
  readonly digest?: Digest
}

/** Appends the body of a request, and returns the number of received bytes. */
async function receive(
  environment: RegistryEnvironment,
  call: PlaneCall,
  { algorithm, digest, received, upload }: Receiving,
  request: UploadRequest,
): Promise<number> {
  const { blobs } = environment
  const range = chunkRange(request['content-range'])
  const length = Number(request['content-length'] ?? 0)
  if (range === 'malformed') throw ociError('BLOB_UPLOAD_INVALID', 'Content-Range must be <first>-<last>')
  if (range && length > 0 && range.last - range.first + 1 !== length)
    throw ociError('BLOB_UPLOAD_INVALID', 'Content-Range must have as many bytes as Content-Length says')
  const limit = await uploadLimit(environment, call.repository, received + length, digest && digestText(digest))
  const appending = { algorithm, first: range?.first, isBegun: received > 0, ...limit }
  const appended = await blobs
    .append(upload, request.body ?? new Blob().stream(), appending)
    .catch((error: unknown) => {
      throw error instanceof UploadChanged ? unknownUpload() : error
    })
  if (!appended.isMisplaced) return appended.size
  throw ociError('BLOB_UPLOAD_INVALID', `the next byte of the upload is byte ${appended.size}`, {
    status: 416,
    headers: progressHeaders(call, upload, appended.size),
  })
}

async function finish(
  environment: RegistryEnvironment,
  call: PlaneCall,
  received: Pick<FinishedUpload, 'received' | 'upload'>,
  digest: Digest,
): Promise<PlaneReply> {
  const result = await finishUpload(environment, {
    ...received,
    digest,
    repository: call.repository.value,
    now: call.context.now,
    requirePush,
  })
  if (result === 'mismatch') throw ociError('DIGEST_INVALID', 'the bytes that arrived have another digest')
  if (result === 'ended') throw unknownUpload()
  return blobCreated(call.name, digestText(digest))
}

/** Throws NAME_UNKNOWN for a repository that was deleted, and REPOSITORY_READ_ONLY. */
export function requirePush(repository: StoredRepository | undefined): void {
  if (!repository) throw ociError('NAME_UNKNOWN', 'the repository was deleted')
  requirePushable(repository)
}

function parsed(text: string | undefined): Digest {
  const digest = parseDigest(requireDigest(text))
  if (digest === undefined) throw new Error('a checked digest cannot be parsed')
  return digest
}

function algorithmOf(text = 'sha256'): DigestAlgorithm {
  if (!isAlgorithm(text)) throw ociError('DIGEST_INVALID', 'digest-algorithm must be sha256 or sha512')
  return text
}

/** Returns the upload of a repository. Throws BLOB_UPLOAD_UNKNOWN. */
async function findUpload(
  { store }: Pick<RegistryEnvironment, 'store'>,
  { repository }: PlaneCall,
  id: string,
): Promise<Stored<StoredUpload>> {
  const stored = await store.get(uploadCollection, id)
  if (stored?.value.repository_id === repository.id) return stored
  throw unknownUpload()
}

const unknownUpload = () => ociError('BLOB_UPLOAD_UNKNOWN', 'the repository has no such upload; start another one')

async function noteProgress({ blobs, clock, store }: RegistryEnvironment, id: string, offset: number): Promise<void> {
  const isKnown = await store.tx(async tx => {
    const stored = await tx.lock(uploadCollection, id)
    if (!stored) return false
    const update_time = formatMillis(clock.now())
    await tx.update(uploadCollection, id, { ...stored.value, offset, update_time }, stored.version)
    return true
  })
  if (isKnown) return
  // The upload was cancelled while its bytes arrived.
  await blobs.discard(id)
  throw unknownUpload()
}

const progress = (call: PlaneCall, upload: string, size: number, status: 202 | 204): PlaneReply => ({
  status,
  headers: progressHeaders(call, upload, size),
})

const progressHeaders = ({ name }: PlaneCall, upload: string, size: number): Readonly<Record<string, string>> => ({
  location: `/v2/${name}/blobs/uploads/${upload}`,
  range: receivedRange(size),
  'docker-upload-uuid': upload,
})
