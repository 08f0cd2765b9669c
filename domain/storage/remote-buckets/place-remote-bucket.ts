import { noReadyInstance } from '../../../output/storage/errors.ts'
import type { Transaction } from '../../ports/store.ts'
import { onlyRegion, requireClass, requireKnown } from '../bucket-calls/place-bucket.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { StoredClass } from '../classes/classes-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { requireSettings } from './capabilities.ts'

/** The place of a new bucket on an S3 store. */
export interface RemoteBucketPlace {
  readonly of: StoredClass
  readonly members: Pick<StoredBucket, 'storage_class' | 'region' | 'multi_region'>
}

/**
 * Chooses the place of a new bucket, and shares its class (storage.md 1). Without a region, the bucket gets the
 * multi-region of the class, or else its only region. Throws STORAGE_CLASS_NOT_FOUND, FIELD_INVALID, NO_READY_INSTANCE
 * and ENGINE_CAPABILITY_UNSUPPORTED.
 */
export async function placeRemoteBucket(
  { functions }: Pick<StorageEnvironment, 'functions'>,
  tx: Transaction,
  wanted: StoredBucket,
): Promise<RemoteBucketPlace> {
  const { value: of } = await requireClass(tx, wanted)
  await requireKnown(functions.topology, tx, wanted)
  const { multi_region, name: storage_class, regions = [], state } = of
  if (state === 'STORAGE_CLASS_STATE_DEPRECATED') throw refusal(storage_class, 'is DEPRECATED and takes no new bucket')
  if (wanted.multi_region !== '' && wanted.multi_region !== multi_region)
    throw refusal(storage_class, `does not offer multi-region ${wanted.multi_region}`)
  if (wanted.region !== '' && !regions.includes(wanted.region))
    throw refusal(storage_class, `does not offer region ${wanted.region}`)
  requireSettings(of, wanted)
  const isMulti = wanted.multi_region !== '' || (wanted.region === '' && multi_region !== '')
  if (isMulti) return { of, members: { storage_class, region: '', multi_region } }
  const region = wanted.region === '' ? onlyRegion(regions, storage_class) : wanted.region
  if (region === undefined) throw refusal(storage_class, 'offers no region')
  return { of, members: { storage_class, region, multi_region: '' } }
}

const refusal = (storageClass: string, fault: string) =>
  noReadyInstance(`storage class ${storageClass} ${fault}`, {
    precondition: [{ type: 'REGION', subject: storageClass, description: 'the class must offer the place' }],
  })
