import { storageClassInUse, storageClassNotFound } from '../../../output/storage/errors.ts'
import { storageClassFields } from '../../../output/storage/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { classCollection } from './classes-store.ts'

const { regions: _derived, ...fields } = storageClassFields

/**
 * The kind of storage classes. Buckets refer to their class, so a class with buckets cannot be deleted. Updates ignore
 * `regions`, because the regions of a native class follow from its instances.
 */
export const classKind = defineKind({
  type: 'storage.storageClasses',
  noun: 'storage class',
  collection: classCollection,
  fields: { ...fields, regions: { behavior: 'output' } },
  notFound: storageClassNotFound,
  inUse: storageClassInUse,
  isNamed: true,
})
