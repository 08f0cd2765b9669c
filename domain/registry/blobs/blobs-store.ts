import type { SortField } from '../../../runtime/filter/types.ts'
import type { Collection, Reader } from '../../ports/store.ts'

/** The row of a blob: the file with the bytes of a digest. */
export interface StoredBlob {
  /** The digest. */
  readonly id: string
  readonly size: number
  /** The path of the file below the blob store. */
  readonly file: string
  /**
   * LINKED while a repository has the blob; DELETING once the collection of garbage has marked it: then no call may use
   * it.
   */
  readonly state: 'LINKED' | 'UNLINKED' | 'DELETING'
  /** The time since which no repository links the blob; absent while it is LINKED. */
  readonly unlinked_time?: string
}

/** The blobs of all repositories. */
export const blobCollection: Collection<StoredBlob> = {
  name: 'registry_blobs',
  id: 'id',
  columns: { state: 'STRING', unlinked_time: 'TIMESTAMP' },
  indexes: [['state', 'unlinked_time']],
}

/** The row of a blob that is visible in a repository. */
export interface StoredLink {
  /** The id of the repository, a slash and the digest. */
  readonly id: string
  readonly workspace_id: string
  readonly repository_id: string
  readonly digest: string
  readonly size: number
  /** The time of the last upload or mount, after which a manifest that names the blob is still to come. */
  readonly touch_time: string
}

/** The blobs of each repository. */
export const linkCollection: Collection<StoredLink> = {
  name: 'registry_blob_links',
  id: 'id',
  columns: {
    workspace_id: 'STRING',
    repository_id: 'STRING',
    digest: 'STRING',
    size: 'INTEGER',
    touch_time: 'TIMESTAMP',
  },
  indexes: [['repository_id'], ['repository_id', 'size'], ['digest'], ['workspace_id'], ['touch_time']],
}

/** Returns the id of the row of a blob that is visible in a repository. */
export const linkId = (repository: string, digest: string): string => `${repository}/${digest}`

const largestFirst: SortField = { field: { name: 'size', type: 'INTEGER', operators: [] }, descending: true }

/** Returns the size of the largest blob of a repository; undefined without any blob. */
export async function largestLink(reader: Reader, repository: string): Promise<number | undefined> {
  const query = { size: 1, filter: undefined, order: [largestFirst], after: undefined, now: 0 }
  const { items } = await reader.page(linkCollection, query, { repository_id: repository })
  return items[0]?.value.size
}
