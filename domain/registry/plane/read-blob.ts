import { engineUnavailable } from '../../../output/shared/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { rangeOf, type ByteRange } from '../../resources/byte-ranges.ts'
import { rowOf } from '../artifacts/artifacts-store.ts'
import type { OpenBlob } from '../blobs/blob-store.ts'
import { blobCollection, linkCollection, type StoredBlob } from '../blobs/blobs-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { digestText, parseDigest } from '../values/digest.ts'
import { ociError } from './oci-errors.ts'
import { allowedCall, digestHeader, type PlaneReply } from './plane-call.ts'

/** The request of a read of a blob. */
export interface ReadBlobRequest {
  readonly digest: string
  readonly range?: string
}

/** Answers a blob of a repository, or a range of it (OCI distribution 1.1, end-2). */
export async function readBlob(
  environment: RegistryEnvironment,
  request: ReadBlobRequest,
  context: CallContext,
): Promise<PlaneReply> {
  const { repository } = allowedCall(context)
  const digest = requireDigest(request.digest)
  const blob = await blobIn(environment, repository.id, digest)
  const headers = {
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    [digestHeader]: digest,
    'x-content-type-options': 'nosniff',
  }
  const { size } = blob
  if (context.method === 'HEAD') return { status: 200, headers: { ...headers, 'content-length': String(size) } }
  const range = requestedRange(request.range, size)
  if (range === 'none')
    throw ociError('SIZE_INVALID', `the blob has ${size} bytes`, {
      status: 416,
      headers: { 'content-range': `bytes */${size}` },
    })
  const { first, last } = range === 'whole' ? { first: 0, last: size - 1 } : range
  const body = (await openBlob(environment, repository.id, blob)).stream(first, last)
  const length = { ...headers, 'content-length': String(last - first + 1) }
  if (range === 'whole') return { status: 200, headers: length, body }
  return { status: 206, headers: { ...length, 'content-range': `bytes ${first}-${last}/${size}` }, body }
}

/** Returns the text of a digest. Throws DIGEST_INVALID for another text. */
export function requireDigest(text: string | undefined): string {
  const digest = parseDigest(text ?? '')
  if (digest === undefined) throw ociError('DIGEST_INVALID', 'the digest must be sha256 or sha512 with its hex digits')
  return digestText(digest)
}

/** Returns the range that a header asks for; a range whose end precedes its begin has no byte of a blob. */
function requestedRange(header: string | undefined, size: number): ByteRange | 'whole' | 'none' {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(header ?? '') ?? []
  return first !== undefined && Number(last) < Number(first) ? 'none' : rangeOf(header, size)
}

/** Returns the blob of a repository. Throws BLOB_UNKNOWN, also for a blob that only other repositories have. */
export async function blobIn(
  { store }: Pick<RegistryEnvironment, 'store'>,
  repository: string,
  digest: string,
): Promise<StoredBlob> {
  const link = await store.get(linkCollection, rowOf(repository, digest))
  const blob = link && (await store.get(blobCollection, digest))?.value
  if (blob && blob.state !== 'DELETING') return blob
  throw ociError('BLOB_UNKNOWN', 'the repository has no such blob')
}

/**
 * Opens a blob of a repository. A blob that was deleted and pushed again since its row was read has another file. Throws
 * ENGINE_UNAVAILABLE for a lost file.
 */
export async function openBlob(
  environment: Pick<RegistryEnvironment, 'blobs' | 'store'>,
  repository: string,
  blob: StoredBlob,
): Promise<OpenBlob> {
  const { blobs } = environment
  const opened = await blobs.open(blob.file, blob.size)
  if (opened) return opened
  const again = await blobIn(environment, repository, blob.id)
  const reopened = again.file === blob.file ? undefined : await blobs.open(again.file, again.size)
  if (reopened) return reopened
  throw engineUnavailable('the content of the blob is lost; an operator must run the doctor', { retryAfterSeconds: 60 })
}
