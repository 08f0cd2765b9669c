import type { MultipartUpload, UploadedPart } from '../../output/storage/types.ts'
import { quoted, type OpenBucket } from './bucket.ts'
import { sendContent } from './content-calls.ts'
import { sha256, type ContentFile } from './content-file.ts'
import type { Limit } from './limit.ts'
import { isSentWhole, partsOf, type Part } from './parts.ts'
import type { Progress } from './progress.ts'

/** An upload of a file as an object. */
export interface Upload {
  readonly bucket: OpenBucket
  readonly object: string
  readonly contentType: string
  /** Whether an object of this name is kept, and the upload refused. */
  readonly ifAbsent: boolean
  /** Bounds the transfers of all uploads of the command. */
  readonly transfers: Limit
  /** Counts bytes that were sent, and bytes that an interrupted upload has sent. */
  readonly progress: Pick<Progress, 'kept' | 'moved'>
}

/**
 * Uploads a file: a small file as a whole, a large file in parts. Parts that an interrupted upload of the same file has
 * left are not sent again. The server compares every checksum.
 */
export const upload = (file: ContentFile, to: Upload): Promise<void> =>
  isSentWhole(file.size) ? uploadWhole(file, to) : uploadParts(file, to)

function uploadWhole(file: ContentFile, { bucket, contentType, ifAbsent, object, progress, transfers }: Upload) {
  return transfers.run(async () => {
    const bytes = await file.read({ start: 0, length: file.size })
    await file.requireUnchanged()
    const body = {
      object,
      content_type: contentType,
      content_length: bytes.length,
      checksum_sha256: sha256(bytes).toString('base64'),
      ...(ifAbsent && { if_none_match: '*' as const }),
    }
    await sendContent(() => bucket.api.createPresignedUploadUrl({ ...bucket.at, body }), bytes)
    progress.moved(bytes.length)
  })
}

async function uploadParts(file: ContentFile, to: Upload): Promise<void> {
  const { bucket, ifAbsent, transfers } = to
  const { api, at } = bucket
  const { id: upload_id, parts: left } = (await leftUpload(to)) ?? (await newUpload(to))
  const present = new Map(left.map(part => [part.part_number, part]))
  const sent = await Promise.all(
    partsOf(file.size).map(part => transfers.run(() => sendPart(file, part, present.get(part.number), upload_id, to))),
  )
  await file.requireUnchanged()
  const parts = sent.map(({ etag }, i) => ({ part_number: i + 1, etag }))
  const all = sha256(Buffer.concat(sent.map(({ digest }) => digest))).toString('base64')
  const body = {
    parts,
    checksum_sha256: `${all}-${parts.length}`,
    ...(ifAbsent && { if_none_match: '*' as const }),
  }
  await api.completeMultipartUpload({ ...at, upload_id, body })
}

/** Sends a part unless the server has it with the same checksum. */
async function sendPart(
  file: ContentFile,
  part: Part,
  present: UploadedPart | undefined,
  upload_id: string,
  { bucket: { api, at }, progress }: Upload,
): Promise<{ readonly etag: string; readonly digest: Buffer }> {
  const bytes = await file.read(part)
  const digest = sha256(bytes)
  const checksum_sha256 = digest.toString('base64')
  if (present?.checksum_sha256 === checksum_sha256 && present.size === bytes.length) {
    progress.kept(bytes.length)
    return { etag: present.etag, digest }
  }
  const body = { parts: [{ part_number: part.number, content_length: bytes.length, checksum_sha256 }] }
  const etag = await sendContent(async () => {
    const { part_urls } = await api.createPartUrls({ ...at, upload_id, body })
    const [url] = part_urls
    if (url === undefined) throw new Error('the server answered no URL for a part')
    return url
  }, bytes)
  progress.moved(bytes.length)
  return { etag, digest }
}

/** Returns the newest upload of this object that has not ended and has no other metadata, with its parts. */
async function leftUpload({ bucket: { api, at }, contentType, object }: Upload): Promise<MultipartUpload | undefined> {
  const { multipart_uploads: uploads } = await api.listMultipartUploads({
    ...at,
    filter: `object = ${quoted(object)} AND state = STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE`,
    order_by: 'create_time desc',
  })
  const id = uploads.find(upload => hasOnlyType(upload, contentType))?.id
  if (id === undefined) return undefined
  const filter = `id = ${quoted(id)}`
  const { multipart_uploads: whole } = await api.listMultipartUploads({ ...at, filter, view: 'STORAGE_VIEW_FULL' })
  return whole[0]
}

function hasOnlyType(upload: MultipartUpload, contentType: string): boolean {
  const { cache_control, content_disposition, content_encoding, content_language, custom_metadata } = upload
  const others = [
    cache_control,
    content_disposition,
    content_encoding,
    content_language,
    ...Object.keys(custom_metadata),
  ]
  return upload.content_type === contentType && others.every(value => value === '')
}

async function newUpload({ bucket: { api, at }, contentType, object }: Upload) {
  const { resource_id: id } = await api.createMultipartUpload({ ...at, body: { object, content_type: contentType } })
  return { id, parts: [] }
}
