import { faultAt } from '../../../runtime/errors.ts'
import type { AreaTypes } from '../../../runtime/route.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import type { Warning } from '../../ports/warning.ts'
import { lockBucket, type Bucket } from './buckets.ts'
import { usageOf, type Definition, type Dimensions, type QuotaScope } from './definitions.ts'
import type { LimitAnswer, LimitFacts, StoredLimit } from './limit-kind.ts'
import type { Quotas } from './quotas.ts'

/** The effects of quota limits on the buckets of their definitions; all areas with quota limits share these functions. */
export class LimitBuckets<ScopeType extends string, Area extends AreaTypes> {
  readonly #quotas: Quotas
  readonly #declared: LimitFacts<ScopeType, Area>

  constructor(quotas: Quotas, declared: LimitFacts<ScopeType, Area>) {
    this.#quotas = quotas
    this.#declared = declared
  }

  /** Throws the area's QUOTA_LIMIT_DIMENSIONS_INVALID unless the dimensions are those of the definition. */
  requireDimensions({ dimensions, id }: Definition, given: Dimensions): void {
    const wanted = dimensions.toSorted().join(', ')
    const found = Object.keys(given).toSorted().join(', ')
    if (found === wanted && Object.values(given).every(value => value !== '')) return
    const message = `quota definition ${id} has ${wanted === '' ? 'no dimensions' : `the dimensions ${wanted}`}; give a value for each dimension and no other member`
    throw faultAt(this.#declared.errors.dimensionsInvalid, 'dimensions', message)
  }

  /** Puts a new limit into its bucket. Throws the area's QUOTA_LIMIT_ALREADY_EXISTS if the bucket has a limit. */
  async take(tx: Transaction, row: StoredLimit<ScopeType>): Promise<void> {
    const { errors, type } = this.#declared
    const bucket = await this.#lock(tx, row)
    const { limit_id: known } = bucket.value
    if (known !== '') {
      const message = `quota definition ${row.quota_definition_id} has the limit ${known} for this scope and these dimensions`
      throw errors.alreadyExists(message, { resource: { type, name: known } })
    }
    await this.#write(tx, bucket, { limit_id: row.id, limit: row.limit })
  }

  /** Changes the limit in the bucket of a row whose `limit` has changed. */
  async change(tx: Transaction, row: StoredLimit<ScopeType>): Promise<void> {
    await this.#write(tx, await this.#lock(tx, row), { limit_id: row.id, limit: row.limit })
  }

  /** Takes a deleted limit out of its bucket, so that the default limit applies. */
  async release(tx: Transaction, row: StoredLimit<ScopeType>): Promise<void> {
    await this.#write(tx, await this.#lock(tx, row), { limit_id: '', limit: 0 })
  }

  /** Returns the warning LIMIT_BELOW_USAGE if more is in use than a limit. */
  async warnings(reader: Reader, definition: Definition, row: StoredLimit<ScopeType>): Promise<readonly Warning[]> {
    const usage = await usageOf(reader, definition, this.scopeOf(row), row.dimensions)
    if (row.limit < 0 || usage <= row.limit) return []
    const description = `${usage} are used, more than the limit of ${row.limit}; nothing is evicted, growth stops`
    return [{ code: this.#declared.belowUsage.code, description }]
  }

  /** Returns a limit with the present usage of its bucket. */
  async answer<Row extends StoredLimit<ScopeType>>(
    reader: Reader,
    definition: Definition,
    row: Row,
  ): Promise<Row & LimitAnswer<ScopeType>> {
    return { ...row, usage: await usageOf(reader, definition, this.scopeOf(row), row.dimensions) }
  }

  /** Returns the scope that a limit limits. */
  scopeOf({ scope_id: id, scope_type }: Pick<StoredLimit<ScopeType>, 'scope_id' | 'scope_type'>): QuotaScope {
    return { type: scope_type === this.#declared.scopeTypes.WORKSPACE ? 'WORKSPACE' : 'ORGANISATION', id }
  }

  #lock(tx: Transaction, row: StoredLimit<ScopeType>): Promise<Stored<Bucket>> {
    const { dimensions, quota_definition_id } = row
    return lockBucket(tx, this.#quotas.buckets, quota_definition_id, this.scopeOf(row), dimensions)
  }

  async #write(
    tx: Transaction,
    { id, value, version }: Stored<Bucket>,
    limit: Pick<Bucket, 'limit' | 'limit_id'>,
  ): Promise<void> {
    await tx.update(this.#quotas.buckets, id, { ...value, ...limit }, version)
  }
}
