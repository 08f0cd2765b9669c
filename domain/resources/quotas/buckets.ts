import { canonical } from '../../../runtime/validation.ts'
import type { Collection, Stored, Transaction } from '../../ports/store.ts'
import type { Dimensions, QuotaScope } from './definitions.ts'

/**
 * A bucket of a quota definition: a scope with values of the dimensions. Usage is counted under a lock on this row. The
 * row repeats the limit of the bucket, so that counting needs no further read.
 */
export interface Bucket {
  /** The id that `bucketKey` returns. */
  readonly id: string
  readonly definition_id: string
  readonly scope_id: string
  /** The id of the quota limit; empty while the default limit of the definition applies. */
  readonly limit_id: string
  /** The limit; unused while `limit_id` is empty. */
  readonly limit: number
}

/** Returns the collection of an area's buckets. */
export const bucketsOf = (area: string): Collection<Bucket> => ({
  name: `${area}_quota_buckets`,
  id: 'id',
  columns: { scope_id: 'STRING' },
  indexes: [['scope_id']],
})

/**
 * Returns the id of a bucket. Without dimensions, returns the prefix that the ids of all buckets of the definition at
 * the scope have.
 */
export const bucketKey = (definition: string, scope: string, dimensions?: Dimensions): string =>
  `${definition}/${scope}/${dimensions ? canonical(dimensions) : ''}`

/** Locks and returns a bucket, so that no other transaction counts in it. Creates the bucket at its first use. */
export async function lockBucket(
  tx: Transaction,
  buckets: Collection<Bucket>,
  definition_id: string,
  scope: QuotaScope,
  dimensions: Dimensions,
): Promise<Stored<Bucket>> {
  const id = bucketKey(definition_id, scope.id, dimensions)
  const known = await tx.lock(buckets, id)
  return known ?? tx.insert(buckets, { id, definition_id, scope_id: scope.id, limit_id: '', limit: 0 })
}
