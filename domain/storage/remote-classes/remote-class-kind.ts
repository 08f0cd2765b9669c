import { storageClassFields } from '../../../output/storage/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { classKind } from '../classes/class-kind.ts'

/** The kind of storage classes on S3 stores: callers name their regions, and `native` is none of their members. */
export const remoteClassKind = defineKind({
  ...classKind,
  fields: { ...storageClassFields, native: { behavior: 'output' } },
})
