import { checksumMismatch } from '../../../output/storage/errors.ts'
import { ApiError, faultAt } from '../../../runtime/errors.ts'
import type { Chunks } from '../../../runtime/media.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { ContentFault, type ReceivedFile } from '../contents/content-files.ts'
import type { StorageEnvironment } from '../environment.ts'
import { classOf } from '../objects/object-limits.ts'
import { sha256Header } from '../presigned/upload-headers.ts'
import type { AllowedCall } from './plane-doors.ts'
import { requireQuotaRoom, type Arrival } from './quota-room.ts'
import { requireWholeBody } from './upload-faults.ts'
import { requireWritable } from './writable-instance.ts'

/** The bytes of a body. */
export type Body = ReadableStream<Uint8Array<ArrayBuffer>>

/** The limits of a body, the path of its file below the folder of the instance, and the commit of its rows. */
export interface Storing {
  readonly maxBytes: number
  readonly tooLong: () => ApiError
  readonly path: string
  readonly commit: (file: ReceivedFile) => Promise<void>
}

/**
 * Writes a body to a file, compares its digests with the signed headers, and commits its rows; nothing is visible before
 * the commit (storage.md 4.4). A declared length over the limit, or over the quotas, is refused before the first byte.
 * `arrivalOf` returns the use of quotas by a body of a declared length; a body without one has the length 0.
 */
export async function storeContent(
  environment: Pick<StorageEnvironment, 'files' | 'store' | 'taxonomy'>,
  call: AllowedCall,
  body: Body,
  { arrivalOf, ...storing }: Storing & { readonly arrivalOf: (length: number) => Arrival },
): Promise<ReceivedFile> {
  requireWholeBody(call.request.headers)
  const length = Number(call.request.headers['content-length'] ?? 0)
  if (length > storing.maxBytes) throw storing.tooLong()
  await requireQuotaRoom(environment, call.bucket, arrivalOf(length))
  return keepContent(environment, call.bucket, body, { ...storing, check: file => requireDigests(call, file) })
}

/** Writes a body to a file of the instance of a bucket, and commits its rows. `check` refuses the received bytes. */
export async function keepContent(
  { files, store }: Pick<StorageEnvironment, 'files' | 'store'>,
  bucket: StoredBucket,
  body: Chunks,
  { check, commit, maxBytes, path, tooLong }: Storing & { readonly check?: (file: ReceivedFile) => void },
): Promise<ReceivedFile> {
  const { instance_id: instance } = bucket
  await requireWritable(store, instance)
  const { native } = await classOf(store, bucket)
  const syncMode = native?.sync_mode === 'STORAGE_SYNC_MODE_DATA' ? 'DATA' : 'FULL'
  const received = await files.receive(body, { instance, syncMode, maxBytes, tooLong })
  try {
    check?.(received)
    await files.move(instance, received.path, path)
    await commit(received)
    return received
  } catch (error) {
    // After another error the rows may be committed. A worker deletes the files that no row names.
    if (isRefusal(error)) await files.remove(instance, [received.path, path]).catch(() => {})
    throw error
  }
}

/** Returns the value of a header if the signature covers the header. */
export const signedHeader = ({ request }: AllowedCall, name: string): string | undefined =>
  request.signed.has(name) ? request.headers[name] : undefined

/** Whether an error says that no transaction was committed: a file failed before, or the transaction was rolled back. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ContentFault || (error instanceof ApiError && error.rpc !== 'UNAVAILABLE')

/** Throws CHECKSUM_MISMATCH if the received bytes have another digest than the headers say. */
function requireDigests(call: AllowedCall, { digests }: ReceivedFile): void {
  const md5 = Buffer.from(digests.md5, 'hex').toString('base64')
  const given = [
    [sha256Header, signedHeader(call, sha256Header), digests.sha256],
    ['Content-MD5', call.request.headers['content-md5'], md5],
  ] as const
  for (const [field, expected, computed] of given) {
    if (expected !== undefined && expected !== computed)
      throw faultAt(checksumMismatch, field, 'is not the digest of the bytes that arrived; send the content again')
  }
}
