import { multipartUploadsList } from '../../../output/storage/filters.ts'
import type { MultipartUpload } from '../../../output/storage/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The row of an upload in parts. Its text is the answer of the view BASIC. */
export interface StoredUpload extends MultipartUpload {
  readonly workspace_id: string
  /** The instance that holds the files of the parts. */
  readonly instance_id: string
  /** The SHA-256 of the body of the completion in hex; empty for an upload that is not completed. */
  readonly completed_by: string
  /** The id of the operation of the completion; empty for an upload that is not completed. */
  readonly completing_operation: string
  /**
   * Whether rows of parts are left. The parts of an upload that has ended are deleted by a worker: of a completed upload
   * their rows alone, because the object has the files.
   */
  readonly has_parts: 'YES' | 'NO'
  /** The time at which the upload ended; empty for an active upload. */
  readonly end_time: string
}

/** The uploads in parts, those that have ended for 24 hours too. */
export const uploadCollection: Collection<StoredUpload> = {
  name: 'storage_multipart_uploads',
  id: 'id',
  list: multipartUploadsList,
  listedBelow: 'bucket_id',
  columns: { workspace_id: 'STRING', bucket_id: 'STRING', has_parts: 'STRING', expire_time: 'TIMESTAMP' },
  hidden: ['workspace_id', 'instance_id', 'completed_by', 'completing_operation', 'has_parts', 'end_time'],
  indexes: [
    ['state', 'expire_time'],
    ['has_parts', 'state'],
  ],
}

/** The row of an uploaded part. */
export interface StoredPart {
  /** The id of the upload, a slash, and the number of the part with five digits. */
  readonly id: string
  readonly upload_id: string
  readonly part_number: number
  readonly size: number
  /** The MD5 of the bytes in hex. */
  readonly etag: string
  readonly checksum_sha256: string
  readonly crc32c: number
  /** The path of the file below the folder of the instance. */
  readonly path: string
  readonly update_time: string
}

/** The parts of all uploads. */
export const partCollection: Collection<StoredPart> = {
  name: 'storage_parts',
  id: 'id',
  columns: { upload_id: 'STRING' },
  indexes: [['upload_id']],
}

/** Returns the id of the row of a part; the ids of an upload sort by the numbers of the parts. */
export const partId = (upload: string, part: number): string => `${upload}/${String(part).padStart(5, '0')}`
