import type { StorageClassUpdate } from '../../../output/storage/types.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'

const description = 'belongs to S3 stores alone; leave it out in the engine native'

/** Throws FIELD_INVALID for the body of a native class with members of a class of an S3 store (step 5). */
export function requireNativeForm({ multi_region = '', s3 }: Pick<StorageClassUpdate, 'multi_region' | 's3'>): void {
  const faults = [
    ...(s3 === undefined ? [] : [{ field: 's3', description }]),
    ...(multi_region === '' ? [] : [{ field: 'multi_region', description }]),
  ]
  if (faults.length > 0) throw fieldInvalid(faults)
}
