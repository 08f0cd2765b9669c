import { storageClassAlreadyExists, storageClassDefaultConflict } from '../../../output/storage/errors.ts'
import { storageClassesList } from '../../../output/storage/filters.ts'
import type { StorageClass } from '../../../output/storage/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The row of a storage class. The regions of a native class follow from its instances, and `bucket_count` from the buckets. */
export interface StoredClass extends Omit<StorageClass, 'regions' | 'bucket_count'> {
  /** The regions of a class of an S3 store; absent for a native class. */
  readonly regions?: StorageClass['regions']
  /** The engine for the default class of the engine, and the id of the class for another class; unique. */
  readonly default_of: string
}

/** The storage classes of all engines. */
export const classCollection: Collection<StoredClass> = {
  name: 'storage_classes',
  id: 'id',
  list: storageClassesList,
  listedBelow: 'engine',
  columns: { engine: 'STRING', default_of: 'STRING' },
  hidden: ['default_of'],
  uniques: [
    {
      fields: ['engine', 'name'],
      taken: ({ engine, name }) =>
        storageClassAlreadyExists(`a storage class named ${name} exists in engine ${engine}`, {
          resource: { type: 'storage.storageClasses', name },
        }),
    },
    {
      fields: ['default_of'],
      taken: ({ engine, name }) =>
        storageClassDefaultConflict(`engine ${engine} has another default storage class; first update that class`, {
          resource: { type: 'storage.storageClasses', name },
        }),
    },
  ],
}

/** Returns the value of `default_of` for a class. */
export const defaultOf = ({ engine, id, is_default }: Pick<StoredClass, 'engine' | 'id' | 'is_default'>): string =>
  is_default ? engine : id
