import { uploadNotActive, uploadNotFound } from '../../../output/storage/errors.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import { uploadStateAt } from './upload-state.ts'
import { uploadCollection, type StoredUpload } from './uploads-store.ts'

/** Returns an upload of a bucket. Throws UPLOAD_NOT_FOUND. */
export async function findUpload(reader: Reader, bucket: string, id: string): Promise<Stored<StoredUpload>> {
  const stored = await reader.get(uploadCollection, id)
  if (stored?.value.bucket_id === bucket) return stored
  throw absentUpload(bucket, id)
}

/** Returns UPLOAD_NOT_FOUND. */
export const absentUpload = (bucket: string, id: string) =>
  uploadNotFound(`bucket ${bucket} has no multipart upload ${id.slice(0, 80)}`, {
    resource: { type: 'storage.multipartUploads', name: id },
  })

/** Throws UPLOAD_NOT_ACTIVE for an upload that has ended, and for one whose time is over at `nowMs`. */
export function requireActiveUpload(upload: StoredUpload, nowMs: number): void {
  const current = uploadStateAt(upload, nowMs)
  if (current === 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE') return
  const { id } = upload
  throw uploadNotActive(`multipart upload ${id} is ${current}; begin another upload`, {
    precondition: [
      { type: 'STATE', subject: id, description: 'the upload must be STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE' },
    ],
  })
}
