import { fieldInvalid } from '../../../output/shared/errors.ts'
import type { MultipartUploadHandlers } from '../../../output/storage/handlers.ts'
import type { MultipartUpload, ParsedListMultipartUploadsRequest } from '../../../output/storage/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { Filter } from '../../../runtime/filter/types.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { jsonText } from '../../resources/json-text.ts'
import { byStateAt } from '../../resources/state-by-clock.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { abortUpload } from './abort-upload.ts'
import { completeUpload } from './complete-upload.ts'
import { createUpload } from './create-upload.ts'
import { createPartUrls } from './part-urls.ts'
import { uploadStateAt, uploadStates } from './upload-state.ts'
import { partCollection, uploadCollection, type StoredUpload } from './uploads-store.ts'

/** The calls on uploads in parts. */
export const multipartUploads = (environment: StorageEnvironment): MultipartUploadHandlers => ({
  listMultipartUploads: (request, context) =>
    listUploads(environment, request, context, upload => storedParts(environment.store, upload)),
  createMultipartUpload: (request, context) => createUpload(environment, request, context),
  abortMultipartUpload: (request, context) => abortUpload(environment, request, context),
  completeMultipartUpload: (request, context) => completeUpload(environment, request, context),
  createPartUrls: (request, context) => createPartUrls(environment, request, context),
})

/** Returns the parts of an active upload in the order of their numbers. */
export type PartsOf = (upload: StoredUpload) => Promise<MultipartUpload['parts']>

async function storedParts(
  store: StorageEnvironment['store'],
  { id }: StoredUpload,
): Promise<MultipartUpload['parts']> {
  const parts: MultipartUpload['parts'] = []
  for await (const { value } of store.each(partCollection, { upload_id: id })) {
    const { checksum_sha256, etag, part_number, size, update_time } = value
    parts.push({ part_number, size, etag, checksum_sha256, update_time })
  }
  return parts
}

/** Lists the uploads of a bucket: the active uploads, unless the filter names states. */
export async function listUploads(
  { store, taxonomy }: Pick<StorageEnvironment, 'store' | 'taxonomy'>,
  request: ParsedListMultipartUploadsRequest,
  { query }: ListContext,
  partsOf: PartsOf,
): Promise<Page<MultipartUpload>> {
  const isFull = request.view === 'STORAGE_VIEW_FULL'
  if (isFull && !namesOneUpload(query.filter)) {
    const description = 'can be STORAGE_VIEW_FULL only with the filter id = "<upload id>"'
    throw fieldInvalid(`view ${description}`, { badRequest: [{ field: 'view', description }] })
  }
  const { value: bucket } = await findBucket(store, taxonomy, request)
  const asked = isFull || namesState(query.filter) ? query : { ...query, filter: and(hasActiveState, query.filter) }
  const page = await store.page(uploadCollection, byStateAt(asked, uploadStates), { bucket_id: bucket.id })
  const items: JsonText<MultipartUpload>[] = []
  for (const { text, value } of page.items) {
    const state = uploadStateAt(value, query.now)
    // The text of an upload is its answer, until the clock changes its state.
    items.push(
      isFull || state !== value.state ? await shownUpload({ ...value, state }, isFull ? partsOf : undefined) : text,
    )
  }
  return page.next === undefined ? { items } : { items, next: page.next }
}

const hasActiveState: Filter = {
  kind: 'compare',
  field: { name: 'state', type: 'ENUM', operators: [] },
  operator: '=',
  value: 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE',
}

const and = (term: Filter, other: Filter | undefined): Filter =>
  other === undefined ? term : { kind: 'and', terms: [term, other] }

/** Returns an upload, with its parts if `partsOf` is given; an ended upload shows no parts. */
async function shownUpload(upload: StoredUpload, partsOf: PartsOf | undefined) {
  const isActive = upload.state === 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE'
  const parts = (isActive && (await partsOf?.(upload))) || []
  const shown: MultipartUpload = {
    id: upload.id,
    bucket_id: upload.bucket_id,
    object: upload.object,
    content_type: upload.content_type,
    content_encoding: upload.content_encoding,
    content_disposition: upload.content_disposition,
    content_language: upload.content_language,
    cache_control: upload.cache_control,
    custom_metadata: upload.custom_metadata,
    state: upload.state,
    initiator_principal_id: upload.initiator_principal_id,
    part_count: parts.length || upload.part_count,
    uploaded_bytes: parts.reduce((sum, { size }) => sum + size, 0) || upload.uploaded_bytes,
    parts,
    etag: upload.etag,
    create_time: upload.create_time,
    expire_time: upload.expire_time,
  }
  return jsonText(shown)
}

const namesOneUpload = (filter: Filter | undefined): boolean =>
  filter?.kind === 'compare' && filter.field.name === 'id' && filter.operator === '='

/** Whether a filter has a condition on the state. */
function namesState(filter: Filter | undefined): boolean {
  if (filter === undefined) return false
  if (filter.kind === 'and' || filter.kind === 'or') return filter.terms.some(namesState)
  return filter.kind === 'not' ? namesState(filter.term) : filter.field.name === 'state'
}
