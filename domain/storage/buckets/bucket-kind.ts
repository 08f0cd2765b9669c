import { bucketDeleting, bucketInUse, bucketNotFound } from '../../../output/storage/errors.ts'
import { bucketFields } from '../../../output/storage/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { requireState, type StateTable } from '../../resources/states.ts'
import { bucketCollection, type StoredBucket } from './buckets-store.ts'

const usable = ['STORAGE_BUCKET_STATE_ACTIVE', 'STORAGE_BUCKET_STATE_ERROR']

const states: StateTable<StoredBucket> = {
  member: 'state',
  transitions: {
    update: { type: 'UPDATE', from: usable },
    delete: { type: 'DELETE', from: usable },
    deleteContent: { type: 'DELETE', from: usable, to: 'STORAGE_BUCKET_STATE_DELETING' },
    write: { type: 'UPDATE', from: usable },
  },
  invalid: (_, _states, { precondition, resource }) =>
    bucketDeleting('the bucket is being deleted, so it takes no change and no content', { precondition, resource }),
}

/** The kind of buckets. A bucket takes the bytes of its versions and of its uploaded parts of the quota of bytes. */
export const bucketKind = defineKind({
  type: 'storage.buckets',
  noun: 'bucket',
  collection: bucketCollection,
  fields: bucketFields,
  notFound: bucketNotFound,
  inUse: bucketInUse,
  states,
  takes: ({ usage }) => [
    { quota: 'storage.buckets', amount: 1 },
    { quota: 'storage.bytes', amount: usage.bytes + usage.incomplete_upload_bytes },
  ],
})

/** Throws BUCKET_DELETING unless content and uploads of the bucket may be changed (conventions §4, step 11). */
export const requireWritable = (bucket: StoredBucket): void => requireState(bucketKind, bucket, 'write')
