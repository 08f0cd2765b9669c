import { bucketAlreadyExists } from '../../../output/storage/errors.ts'
import { bucketsList } from '../../../output/storage/filters.ts'
import type { Bucket } from '../../../output/storage/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The row of a bucket. Every change of the objects of a bucket locks its row, and keeps `usage` exact. */
export interface StoredBucket extends Bucket {
  /** The number of changes of its objects, in decimal digits: the next version follows all versions with lower numbers. */
  readonly commit_number: `${number}`
}

/** The buckets of all workspaces and engines. */
export const bucketCollection: Collection<StoredBucket> = {
  name: 'storage_buckets',
  id: 'id',
  list: bucketsList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', instance_id: 'STRING' },
  hidden: ['commit_number'],
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        bucketAlreadyExists(`a bucket named ${name} exists in the workspace`, {
          resource: { type: 'storage.buckets', name },
        }),
    },
  ],
  indexes: [['instance_id'], ['storage_class']],
  indexedMaps: ['labels'],
}
