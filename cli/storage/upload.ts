import type { MultipartUpload, UploadedPart } from '../../output/storage/types.ts'
import { answerInvalid, ApiError } from '../../runtime/errors.ts'
import { CommandError } from '../exit-codes.ts'
import { quoted, requireRows, type OpenBucket } from './bucket.ts'
import { countedAttempts, sendContent } from './content-calls.ts'
import { digestOf, type ContentFile } from './content-file.ts'
import { Limit } from './limit.ts'
import { isSentWhole, partsOf, type Part } from './parts.ts'
import type { Progress } from './progress.ts'
import { lacks, type StoreSums } from './store-sums.ts'

/** An upload of a file as an object. */
export interface Upload {
  readonly bucket: OpenBucket
  readonly object: string
  readonly contentType: string
  /** Whether an object of this name is kept, and the upload refused. */
  readonly ifAbsent: boolean
  /** The checksums that the store of the bucket compares. */
  readonly sums: StoreSums
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

function uploadWhole(file: ContentFile, { bucket, contentType, ifAbsent, object, progress, sums, transfers }: Upload) {
  return transfers.run(async () => {
    const bytes = await file.readWhole()
    await file.requireUnchanged()
    const body = {
      object,
      content_type: contentType,
      content_length: bytes.length,
      ...(ifAbsent && { if_none_match: '*' as const }),
    }
    const sign = (hasSha256: boolean) => {
      const sum = hasSha256
        ? { checksum_sha256: digestOf('sha256', bytes).toString('base64') }
        : { content_md5: digestOf('md5', bytes).toString('base64') }
      return bucket.api.createPresignedUploadUrl({ ...bucket.at, body: { ...body, ...sum } })
    }
    await sendContent(() => sums.call(sign), bytes)
    progress.moved(bytes.length)
  })
}

/** The reasons for which an upload fails that another command completes, or whose parts another command replaces. */
const ofShared: ReadonlySet<string> = new Set([
  'UPLOAD_NOT_FOUND',
  'PART_ETAG_MISMATCH',
  'PART_MISSING',
  'UPLOAD_NOT_ACTIVE',
])

/** A store may take minutes to put many parts together. */
const completionMs = 600_000

async function uploadParts(file: ContentFile, to: Upload): Promise<void> {
  try {
    return await sendParts(file, (await leftUpload(to)) ?? (await newUpload(to)), to)
  } catch (error) {
    // Another command shares the upload, or another program has begun the upload with other checksums.
    if (!lacks(error, 'MIXED_CHECKSUMS') && !(error instanceof ApiError && ofShared.has(error.reason))) throw error
  }
  await sendParts(file, await newUpload(to), to)
}

/** Sends the parts of a file that an upload does not have, and completes the upload. */
async function sendParts(
  file: ContentFile,
  { id: upload_id, parts: left }: Pick<MultipartUpload, 'id' | 'parts'>,
  to: Upload,
): Promise<void> {
  const { bucket, ifAbsent, sums, transfers } = to
  const { api, at } = bucket
  const present = new Map(left.map(part => [part.part_number, part]))
  // The first part is sent while the digest of the second is computed.
  const hashing = new Limit(1)
  const sent = await Promise.all(
    partsOf(file.size).map(part =>
      transfers.run(async () => {
        const digest = await hashing.run(() => file.digest('sha256', part))
        return sendPart(file, { ...part, digest }, present.get(part.number), upload_id, to)
      }),
    ),
  )
  await file.requireUnchanged()
  const parts = sent.map(({ etag }, i) => ({ part_number: i + 1, etag }))
  const all = digestOf('sha256', Buffer.concat(sent.map(({ digest }) => digest))).toString('base64')
  await sums.call(hasSha256 => {
    const sum = hasSha256 ? { checksum_sha256: `${all}-${parts.length}` } : {}
    const body = { parts, ...sum, ...(ifAbsent && { if_none_match: '*' as const }) }
    return api.completeMultipartUpload({ ...at, upload_id, body }, { timeoutMs: completionMs })
  })
}

/** A part with its SHA-256. */
interface HashedPart extends Part {
  readonly digest: Buffer
}

/** Sends a part unless the server has it with the same checksum. */
async function sendPart(
  file: ContentFile,
  part: HashedPart,
  present: UploadedPart | undefined,
  upload_id: string,
  { bucket: { api, at }, progress, sums }: Upload,
): Promise<{ readonly etag: string; readonly digest: Buffer }> {
  const { digest } = part
  const checksum_sha256 = digest.toString('base64')
  if (present && (await hasBytes(present, file, part, checksum_sha256))) {
    progress.kept(part.length)
    return { etag: present.etag, digest }
  }
  const sign = async (hasSha256: boolean) => {
    const sum = hasSha256 ? { checksum_sha256 } : {}
    const body = { parts: [{ part_number: part.number, content_length: part.length, ...sum }] }
    const { part_urls } = await api.createPartUrls({ ...at, upload_id, body })
    const [url] = requireRows(part_urls)
    if (url === undefined) throw answerInvalid('the server answers no URL for a part')
    return url
  }
  const counted = countedAttempts(progress)
  const content = { length: part.length, chunks: () => counted(file.chunks(part)) }
  const etag = await sendContent(() => sums.call(sign), content)
  if (!sums.hasSha256 && etag !== (await md5Of(file, part)))
    throw new CommandError(`part ${part.number} arrived with other bytes than were sent: run the command again`, 1)
  return { etag, digest }
}

const md5Of = async (file: ContentFile, part: Part): Promise<string> => (await file.digest('md5', part)).toString('hex')

/** Whether an uploaded part has the bytes of a part, by its SHA-256, or by its MD5 in a store that keeps no SHA-256. */
async function hasBytes(
  { checksum_sha256, etag, size }: UploadedPart,
  file: ContentFile,
  part: Part,
  sha256: string,
): Promise<boolean> {
  if (size !== part.length) return false
  return checksum_sha256 === '' ? etag === (await md5Of(file, part)) : checksum_sha256 === sha256
}

/** Returns the newest upload of this object that has not ended and has no other metadata, with its parts. */
async function leftUpload({ bucket: { api, at }, contentType, object }: Upload): Promise<MultipartUpload | undefined> {
  const { multipart_uploads: uploads } = await api.listMultipartUploads({
    ...at,
    filter: `object = ${quoted(object)} AND state = STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE`,
    order_by: 'create_time desc',
  })
  const id = requireRows(uploads).find(upload => hasOnlyType(upload, contentType))?.id
  if (id === undefined) return undefined
  const filter = `id = ${quoted(id)}`
  const { multipart_uploads: whole } = await api.listMultipartUploads({ ...at, filter, view: 'STORAGE_VIEW_FULL' })
  return requireRows(whole)[0]
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
  if (typeof id !== 'string') throw answerInvalid('the server answers no id of an upload')
  return { id, parts: [] }
}
