import { LRUCache } from 'lru-cache'
import type { Stored, Witness } from '../../ports/store.ts'
import { isAt } from '../../resources/find-rows.ts'
import type { StorageEnvironment } from '../environment.ts'
import { bucketCollection, type StoredBucket } from './buckets-store.ts'
import { findBucket, type BucketPath } from './find-bucket.ts'

/** The result of a read of the rows of a bucket. */
export interface BucketReadResult<R> {
  readonly answer: R
  /** The version of the bucket at the read, if the read returned it. */
  readonly version: number | undefined
}

/** Reads rows of the bucket, together with the version of the witness, which is the row of the bucket. */
export type ReadRows<R> = (bucket: StoredBucket, witness: Witness) => Promise<BucketReadResult<R>>

const maxBuckets = 1000

/**
 * Reads the rows of buckets outside of transactions. A read uses the cached row of its bucket if the row still has the
 * same version, which the statement for the rows returns; so most reads are a single statement.
 */
export class BucketReads {
  readonly #parts: Pick<StorageEnvironment, 'store' | 'taxonomy'>
  readonly #cache = new LRUCache<string, Stored<StoredBucket>>({ max: maxBuckets })

  constructor(parts: Pick<StorageEnvironment, 'store' | 'taxonomy'>) {
    this.#parts = parts
  }

  /**
   * Returns the result of `read` for the bucket of a path. Calls `read` again if the bucket has changed since it was
   * cached. Throws WORKSPACE_NOT_FOUND and BUCKET_NOT_FOUND.
   */
  async read<R>(path: BucketPath, read: ReadRows<R>): Promise<R> {
    const { store, taxonomy } = this.#parts
    const witness = { collection: bucketCollection, id: path.bucket }
    const cached = this.#cache.get(path.bucket)
    const known = cached && isAt(cached.value, path) ? cached : undefined
    const early = known && (await read(known.value, witness))
    if (early && early.version === known.version) return early.answer
    const stored = await findBucket(store, taxonomy, path)
    // A read without rows has returned no version.
    if (early && early.version === undefined && stored.version === known.version) return early.answer
    this.#cache.set(path.bucket, stored)
    return (await read(stored.value, witness)).answer
  }
}
