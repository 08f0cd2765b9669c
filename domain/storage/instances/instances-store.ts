import { storageClassInstancesList } from '../../../output/storage/filters.ts'
import type { StorageClassInstance } from '../../../output/storage/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The row of an instance of a storage class of the native engine. */
export interface StoredInstance extends StorageClassInstance {
  readonly storage_class_id: string
}

/** The instances of all storage classes. The name is unique in the class among the instances that have not failed. */
export const instanceCollection: Collection<StoredInstance> = {
  name: 'storage_class_instances',
  id: 'id',
  list: storageClassInstancesList,
  listedBelow: 'storage_class_id',
  columns: { storage_class_id: 'STRING' },
  hidden: ['storage_class_id'],
  indexes: [['storage_class_id', 'region', 'state']],
}
