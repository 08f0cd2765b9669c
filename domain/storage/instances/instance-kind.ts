import { instanceNotFound } from '../../../output/storage/errors.ts'
import { defineKind } from '../../resources/kind.ts'
import { classKind } from '../classes/class-kind.ts'
import { instanceCollection } from './instances-store.ts'

/** The kind of the instances of storage classes. Handlers replace a name of the class in the path by its id. */
export const instanceKind = defineKind({
  type: 'storage.storageClassInstances',
  noun: 'storage class instance',
  collection: instanceCollection,
  notFound: instanceNotFound,
  parent: { member: 'storage_class_id', parameter: 'storage_class', kind: classKind },
})
