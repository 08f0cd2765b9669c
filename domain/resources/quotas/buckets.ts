import { canonical } from '../../../runtime/validation.ts'
import type { Collection, Stored, Transaction } from '../../ports/store.ts'
import type { Dimensions, QuotaScope } from './definitions.ts'

/**
 * One bucket of a definition: a scope with values of the dimensions. The row is the lock under which usage is counted,
 * and holds the limit of the bucket, so that a count needs no further look-up.
 */
export interface Bucket {
  /** The key of `bucketKey`. */
  readonly id: string
  readonly definition_id: string
  readonly scope_id: string
  /** The id of the quota limit; empty where the default limit of the definition holds. */
  readonly limit_id: string
  /** The limit, where there is one. */
  readonly limit: number
}

/** The buckets of an area. */
export const bucketsOf = (area: string): Collection<Bucket> => ({
  name: `${area}_quota_buckets`,
  id: 'id',
  columns: { scope_id: 'STRING' },
  indexes: [['scope_id']],
})

/** The id of a bucket; without dimensions the beginning that all buckets of the definition at the scope share. */
export const bucketKey = (definition: string, scope: string, dimensions?: Dimensions): string =>
  `${definition}/${scope}/${dimensions ? canonical(dimensions) : ''}`

/** Holds a bucket against all others that count in it; made when it is asked for the first time. */
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
