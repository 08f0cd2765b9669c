import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored } from '../../ports/store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { finishUpload, type FinishedUpload } from '../uploads/finish-upload.ts'
import { abandonUpload, noteFailure, noteProgress } from '../uploads/note-progress.ts'
import { uploadCollection, type StoredUpload } from '../uploads/uploads-store.ts'
import { digestText, isAlgorithm, parseDigest, type Digest, type DigestAlgorithm } from '../values/digest.ts'
import { ociError } from './oci-errors.ts'
import { allowedCall, digestHeader, type PlaneCall, type PlaneReply } from './plane-call.ts'
import { recordingQuotas, requireFewUploads, requirePushable } from './push-limits.ts'
import { requireDigest } from './read-blob.ts'
import {
  isMisplacement,
  progressHeaders,
  receive,
  unknownUpload,
  type Receiving,
  type UploadRequest,
} from './receive-upload.ts'

/** Begins an upload, or takes a whole blob if the request names its digest (end-4a, end-4b). */
export async function startUpload(
  environment: RegistryEnvironment,
  request: UploadRequest,
  context: CallContext,
): Promise<PlaneReply> {
  const call = allowedCall(context)
  requirePushable(call.repository.value)
  if (request.digest !== undefined)
    return recordingQuotas(environment, call, () => takeBlob(environment, call, request, parsed(request.digest)))
  await requireFewUploads(environment, call.repository)
  const row = newUpload(environment, call, algorithmOf(request['digest-algorithm']))
  await environment.store.tx(tx => tx.insert(uploadCollection, row))
  return progress(call, row.id, 0, 202)
}

/** Takes a whole blob. A refused or broken blob leaves nothing. */
async function takeBlob(
  environment: RegistryEnvironment,
  call: PlaneCall,
  request: UploadRequest,
  digest: Digest,
): Promise<PlaneReply> {
  const { store } = environment
  const { algorithm } = digest
  const row = newUpload(environment, call, algorithm)
  const upload = row.id
  let hasRow = false
  // Only a long blob takes room while it arrives.
  const note = async (offset: number): Promise<boolean> => {
    if (hasRow) return noteProgress(environment, upload, offset)
    await store.tx(tx => tx.insert(uploadCollection, { ...row, offset }))
    return (hasRow = true)
  }
  try {
    const received = await receive(environment, call, { upload, algorithm, received: 0, digest, note }, request)
    return await finish(environment, call, { upload, received }, digest)
  } catch (error) {
    // What stays because of another failure is collected later.
    await abandonUpload(environment, upload).catch(() => {})
    throw error
  }
}

/** Returns the row of a new upload. */
function newUpload({ clock }: RegistryEnvironment, call: PlaneCall, algorithm: DigestAlgorithm): StoredUpload {
  const time = formatMillis(call.context.now)
  return {
    id: clock.newId(),
    workspace_id: call.repository.value.workspace_id,
    repository_id: call.repository.id,
    principal_id: call.context.principal?.id ?? '',
    algorithm,
    offset: 0,
    create_time: time,
    update_time: time,
  }
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
    if (!(await upload.note(size))) {
      // The upload was cancelled while its bytes arrived.
      await environment.blobs.discard(upload.upload)
      throw unknownUpload()
    }
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
    const ended = { upload: upload.upload, received: Math.max(size, received), isBegun: true }
    return finish(environment, call, ended, digest)
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
  const { algorithm, offset: received } = value
  const note = (offset: number) => noteProgress(environment, id, offset)
  return recordingQuotas(environment, call, async () => {
    try {
      return await push(call, { upload: id, algorithm, received, note })
    } catch (error) {
      // If the bytes cannot be noted, the next call for the upload notes them.
      if (!isMisplacement(error)) await noteFailure(environment, id, received).catch(() => {})
      throw error
    }
  })
}

/**
 * Answers the number of received bytes of an upload, and notes it: a call of which a killed server has received a part has
 * not noted its bytes.
 */
export async function readUpload(
  environment: RegistryEnvironment,
  request: { readonly upload: string },
  context: CallContext,
): Promise<PlaneReply> {
  const call = allowedCall(context)
  const { id, value } = await findUpload(environment, call, request.upload)
  const size = await environment.blobs.sizeOf(id)
  if (size > value.offset) await noteProgress(environment, id, size)
  return progress(call, id, size, 204)
}

/** Ends an upload without a blob. */
export async function cancelUpload(
  environment: RegistryEnvironment,
  request: { readonly upload: string },
  context: CallContext,
): Promise<PlaneReply> {
  const { id } = await findUpload(environment, allowedCall(context), request.upload)
  await abandonUpload(environment, id)
  return { status: 204 }
}

/** Returns the answer to a push of a blob that the repository has now. */
export const blobCreated = (name: string, digest: string): PlaneReply => ({
  status: 201,
  headers: { location: `/v2/${name}/blobs/${digest}`, [digestHeader]: digest },
})

async function finish(
  environment: RegistryEnvironment,
  call: PlaneCall,
  received: Pick<FinishedUpload, 'isBegun' | 'received' | 'upload'>,
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

const progress = (call: PlaneCall, upload: string, size: number, status: 202 | 204): PlaneReply => ({
  status,
  headers: progressHeaders(call, upload, size),
})
