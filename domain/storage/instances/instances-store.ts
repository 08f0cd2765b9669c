import { instanceAlreadyExists } from '../../../output/storage/errors.ts'
import { storageClassInstancesList } from '../../../output/storage/filters.ts'
import type { StorageClassInstance } from '../../../output/storage/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The row of an instance of a storage class of the native engine. `bucket_count` follows from the buckets. */
export interface StoredInstance extends Omit<StorageClassInstance, 'bucket_count'> {
  readonly storage_class_id: string
}

/**
 * The instances of all storage classes. The name of an instance is unique in its class; a new attempt to make a failed
 * instance uses the row of the failed instance.
 */
export const instanceCollection: Collection<StoredInstance> = {
  name: 'storage_class_instances',
  id: 'id',
  list: storageClassInstancesList,
  listedBelow: 'storage_class_id',
  columns: { storage_class_id: 'STRING', available_bytes: 'INTEGER' },
  hidden: ['storage_class_id'],
  uniques: [
    {
      fields: ['storage_class_id', 'name'],
      taken: ({ id, name, storage_class }) =>
        instanceAlreadyExists(`storage class ${storage_class} has an instance named ${name}`, {
          resource: { type: 'storage.storageClassInstances', name: id },
        }),
    },
  ],
  indexes: [['storage_class_id', 'region', 'state']],
}
