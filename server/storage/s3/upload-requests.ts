import * as s3 from '@aws-sdk/client-s3'
import { isFault } from '../../../domain/storage/remote-store/remote-fault.ts'
import type {
  RemoteCompletion,
  RemoteContent,
  RemoteName,
  RemotePart,
  RemotePartCopy,
  RemoteUpload,
} from '../../../domain/storage/remote-store/remote-store.ts'
import { bareEtag, contentInput, copySource, keyOf } from './object-members.ts'
import { longPatienceMs, type StoreRequests } from './store-requests.ts'

type Key = Omit<RemoteName, 'versionId'>

/** Returns the id of a new upload. */
export function beginUpload(
  requests: StoreRequests,
  name: Key,
  content: RemoteContent,
  hasChecksums: boolean,
): Promise<string> {
  const checksums = hasChecksums ? ({ ChecksumAlgorithm: 'SHA256' } as const) : {}
  const input = { ...keyOf(name), ...contentInput(content), ...checksums, ...requests.classed }
  return requests.sent(async within => {
    const { UploadId } = await requests.client.send(new s3.CreateMultipartUploadCommand(input), within)
    if (UploadId === undefined || UploadId === '') throw new TypeError('the upload has no id')
    return UploadId
  })
}

/** Uploads a part; returns its ETag. */
export function putPart(
  requests: StoreRequests,
  name: Key,
  uploadId: string,
  number: number,
  body: string | Uint8Array,
): Promise<string> {
  const input = { ...keyOf(name), UploadId: uploadId, PartNumber: number, Body: body }
  return requests.sent(async within =>
    bareEtag((await requests.client.send(new s3.UploadPartCommand(input), within)).ETag),
  )
}

/** Copies a range of an object to a part; returns the ETag of the part. */
export function copyPart(requests: StoreRequests, copy: RemotePartCopy): Promise<string> {
  const { first, last, number, source, sourceIfMatch, target, uploadId } = copy
  const input = {
    ...keyOf(target),
    UploadId: uploadId,
    PartNumber: number,
    CopySource: copySource(source),
    CopySourceRange: `bytes=${first}-${last}`,
    CopySourceIfMatch: sourceIfMatch,
  }
  return requests.sent(async within => {
    const { CopyPartResult } = await requests.client.send(new s3.UploadPartCopyCommand(input), within)
    if (CopyPartResult?.ETag === undefined) throw new TypeError('the part has no ETag')
    return bareEtag(CopyPartResult.ETag)
  }, longPatienceMs)
}

/** Iterates over the parts of an upload in ascending order. */
export async function* listParts(
  requests: StoreRequests,
  name: Key,
  uploadId: string,
): AsyncGenerator<RemotePart, void, undefined> {
  let last = 0
  for (;;) {
    const input = { ...keyOf(name), UploadId: uploadId, ...(last > 0 && { PartNumberMarker: String(last) }) }
    const page = await requests.sent(within => requests.client.send(new s3.ListPartsCommand(input), within))
    const before = last
    for (const part of page.Parts ?? []) {
      // Each part has a higher number than the part before, so that the list ends.
      if (part.PartNumber === undefined || part.PartNumber <= last) continue
      last = part.PartNumber
      yield {
        number: last,
        size: part.Size ?? 0,
        etag: bareEtag(part.ETag),
        sha256: part.ChecksumSHA256 ?? '',
        modifiedMs: part.LastModified?.getTime() ?? 0,
      }
    }
    if (page.IsTruncated !== true || last === before) return
  }
}

/** Makes an object of the parts of an upload. */
export async function completeUpload(requests: StoreRequests, completion: RemoteCompletion): Promise<void> {
  const { ifNoneMatch, parts, sha256, uploadId } = completion
  const input = {
    ...keyOf(completion),
    UploadId: uploadId,
    MultipartUpload: {
      Parts: parts.map(({ etag, number, sha256: digest }) => ({
        PartNumber: number,
        ETag: `"${etag}"`,
        ...(digest !== '' && { ChecksumSHA256: digest }),
      })),
    },
    ...(sha256 !== '' && { ChecksumSHA256: sha256 }),
    ...(ifNoneMatch && { IfNoneMatch: '*' }),
  }
  await requests.sent(
    within => requests.client.send(new s3.CompleteMultipartUploadCommand(input), within),
    longPatienceMs,
  )
}

/** Ends an upload without an object; an absent upload counts as ended. */
export async function abortUpload(requests: StoreRequests, name: Key, uploadId: string): Promise<void> {
  try {
    const input = { ...keyOf(name), UploadId: uploadId }
    await requests.sent(within => requests.client.send(new s3.AbortMultipartUploadCommand(input), within))
  } catch (error) {
    if (!isFault(error, 'upload', 'object')) throw error
  }
}

/** Iterates over the uploads of a bucket. */
export async function* listUploads(
  requests: StoreRequests,
  bucket: string,
): AsyncGenerator<RemoteUpload, void, undefined> {
  let marker: readonly [key: string, upload: string] | undefined
  for (;;) {
    const after = marker && { KeyMarker: marker[0], UploadIdMarker: marker[1] }
    const input = { Bucket: bucket, ...after }
    const page = await requests.sent(within => requests.client.send(new s3.ListMultipartUploadsCommand(input), within))
    for (const { Initiated, Key: object, UploadId } of page.Uploads ?? [])
      if (object !== undefined && UploadId !== undefined)
        yield { object, uploadId: UploadId, startedMs: Initiated?.getTime() ?? Date.now() }
    const next = [page.NextKeyMarker ?? '', page.NextUploadIdMarker ?? ''] as const
    const isSame = next[0] === (marker?.[0] ?? '') && next[1] === (marker?.[1] ?? '')
    if (page.IsTruncated !== true || isSame) return
    marker = next
  }
}
