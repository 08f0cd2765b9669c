import { objectsList } from '../../../output/storage/filters.ts'
import type { ObjectMetadata, ObjectSchema } from '../../../output/storage/types.ts'
import type { FilterField, SortField } from '../../../runtime/filter/types.ts'
import type { Collection, Reader, Stored } from '../../ports/store.ts'

/**
 * The row of a version of an object or of a delete marker. Its text is the answer of a list without
 * `retain_until_time`, which follows from the policy of the bucket at the moment of the answer.
 */
export interface StoredVersion extends Omit<ObjectSchema, 'retain_until_time'> {
  readonly workspace_id: string
  /** The number of the commit in its bucket, with 16 digits, so that texts sort as numbers. */
  readonly commit_number: string
  /** Whether the version was written while versioning was not ENABLED, so that the next such write replaces it. */
  readonly slot: 'NULL' | 'KEPT'
  /** The id of the content; empty for a delete marker. */
  readonly content_id: string
}

/** The versions and delete markers of all objects. */
export const versionCollection: Collection<StoredVersion> = {
  name: 'storage_object_versions',
  id: 'version_id',
  list: objectsList,
  listedBelow: 'bucket_id',
  columns: {
    workspace_id: 'STRING',
    bucket_id: 'STRING',
    is_latest: 'BOOLEAN',
    is_delete_marker: 'BOOLEAN',
    commit_number: 'STRING',
    slot: 'STRING',
    content_id: 'STRING',
    update_time: 'TIMESTAMP',
  },
  hidden: ['workspace_id', 'commit_number', 'slot', 'content_id'],
  indexes: [
    // The versions of a name, oldest first.
    ['bucket_id', 'name', 'commit_number'],
    // The latest version of a name, however many versions the name has.
    ['bucket_id', 'name', 'is_latest'],
    ['bucket_id', 'is_latest', 'is_delete_marker', 'name'],
    // The versions that lifecycle rules remove by their age.
    ['bucket_id', 'is_latest', 'is_delete_marker', 'create_time'],
    ['bucket_id', 'is_latest', 'is_delete_marker', 'update_time'],
  ],
}

/** The field of the number of a commit, by which the versions of a name are sorted. */
export const commitField: FilterField = { name: 'commit_number', type: 'STRING', operators: [], sortable: true }

/** The field of the id of a version, which breaks ties between equal keys of other fields. */
export const versionField: FilterField = { name: 'version_id', type: 'STRING', operators: [], sortable: true }

/** The order of the versions of one name. */
export const newestFirst: readonly SortField[] = [
  { field: commitField, descending: true },
  { field: versionField, descending: false },
]

/** Returns the version of an object that was written while versioning was not enabled, if there is one. */
export const nullVersion = (
  reader: Reader,
  { bucket_id, name }: Pick<StoredVersion, 'bucket_id' | 'name'>,
): Promise<Stored<StoredVersion> | undefined> => reader.find(versionCollection, { bucket_id, name, slot: 'NULL' })

/** The members of `ObjectMetadata` that a list does not answer. They never change. */
export interface StoredMetadata extends Omit<ObjectMetadata, keyof ObjectSchema> {
  /** The id of the version. */
  readonly metadata_of: string
}

/** The metadata of the versions; delete markers have none. */
export const metadataCollection: Collection<StoredMetadata> = {
  name: 'storage_object_metadata',
  id: 'metadata_of',
  hidden: ['metadata_of'],
}
