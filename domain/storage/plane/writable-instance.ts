import { engineUnavailable } from '../../../output/shared/errors.ts'
import { storageCapacityExhausted } from '../../../output/storage/errors.ts'
import type { Reader } from '../../ports/store.ts'
import { instanceCollection } from '../instances/instances-store.ts'

/** Throws STORAGE_CAPACITY_EXHAUSTED and ENGINE_UNAVAILABLE unless an instance takes content at the moment. */
export async function requireWritable(reader: Reader, instance: string): Promise<void> {
  const state = (await reader.get(instanceCollection, instance))?.value.state
  if (state === 'STORAGE_CLASS_INSTANCE_STATE_READY') return
  if (state === 'STORAGE_CLASS_INSTANCE_STATE_READ_ONLY')
    throw storageCapacityExhausted(
      'the storage of the bucket has less free space than it must keep; delete content, or ask an operator for space',
      { retryAfterSeconds: 60 },
    )
  throw engineUnavailable('the storage of the bucket cannot be used at the moment', { retryAfterSeconds: 60 })
}
