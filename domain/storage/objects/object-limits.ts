import { metadataTooLarge, objectTooLarge } from '../../../output/storage/errors.ts'
import type { CustomMetadata } from '../../../output/storage/types.ts'
import type { Reader } from '../../ports/store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { classCollection, type StoredClass } from '../classes/classes-store.ts'

/** The largest size of an object in bytes: 5 TiB. */
export const maxObjectBytes = 5 * 2 ** 40

/** The largest sum of the keys and values of custom metadata in bytes. */
const maxMetadataBytes = 2048

/** Throws METADATA_TOO_LARGE for custom metadata with more than 2048 bytes. */
export function requireMetadataSize(metadata: CustomMetadata): void {
  const bytes = Object.entries(metadata).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0)
  if (bytes <= maxMetadataBytes) return
  const description = `must have at most ${maxMetadataBytes} bytes of keys and values, and has ${bytes}`
  throw metadataTooLarge(`custom_metadata ${description}`, { badRequest: [{ field: 'custom_metadata', description }] })
}

/** Returns the storage class of a bucket. */
export async function classOf(reader: Reader, { engine, storage_class }: StoredBucket): Promise<StoredClass> {
  const stored = await reader.find(classCollection, { engine, name: storage_class })
  if (!stored) throw new Error(`storage class ${storage_class} of engine ${engine} is absent, although a bucket has it`)
  return stored.value
}

/** Returns the largest size of an object in a bucket: the smallest of the limits of bucket, class and platform. */
export const sizeLimit = (bucket: StoredBucket, { native }: Pick<StoredClass, 'native'>): number =>
  Math.min(
    bucket.max_object_size_bytes ?? maxObjectBytes,
    native?.max_object_size_bytes ?? maxObjectBytes,
    maxObjectBytes,
  )

/** Returns OBJECT_TOO_LARGE for content with more bytes than an object of a bucket may have. */
export function tooLarge(field: string, limit: number) {
  const description = `must have at most ${limit} bytes in this bucket`
  return objectTooLarge(`${field} ${description}`, { badRequest: [{ field, description }] })
}
