import type { Collection, Reader } from '../../ports/store.ts'
import type { DigestAlgorithm } from '../values/digest.ts'

/** The row of an upload of a blob that has not ended. */
export interface StoredUpload {
  readonly id: string
  readonly workspace_id: string
  readonly repository_id: string
  readonly principal_id: string
  /** The algorithm of the digest that is expected at the end. */
  readonly algorithm: DigestAlgorithm
  /** The number of received bytes; those of a call that goes on are at most 16 MiB more. */
  readonly offset: number
  readonly create_time: string
  /** The time of the last received bytes, from which the idle time counts. */
  readonly update_time: string
}

/** The uploads of all repositories. */
export const uploadCollection: Collection<StoredUpload> = {
  name: 'registry_uploads',
  id: 'id',
  columns: { workspace_id: 'STRING', repository_id: 'STRING', offset: 'INTEGER', update_time: 'TIMESTAMP' },
  indexes: [['update_time'], ['repository_id'], ['workspace_id', 'offset']],
}

/** Returns the bytes of the uploads of a workspace that have not ended, without those of the upload `own`. */
export const openBytes = (reader: Reader, workspace_id: string, own: string): Promise<number> =>
  reader.sum(uploadCollection, 'offset', { workspace_id, id: { noneOf: [own] } })
