import { storageClassAlreadyExists } from '../../../output/storage/errors.ts'
import { storageClassesList } from '../../../output/storage/filters.ts'
import type { StorageClass } from '../../../output/storage/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The storage classes of all engines. */
export const classCollection: Collection<StorageClass> = {
  name: 'storage_classes',
  id: 'id',
  list: storageClassesList,
  listedBelow: 'engine',
  columns: { engine: 'STRING' },
  uniques: [
    {
      fields: ['engine', 'name'],
      taken: ({ engine, name }) =>
        storageClassAlreadyExists(`a storage class named ${name} exists in engine ${engine}`, {
          resource: { type: 'storage.storageClasses', name },
        }),
    },
  ],
}
