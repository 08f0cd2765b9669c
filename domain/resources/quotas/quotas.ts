import { quotaExceeded } from '../../../output/shared/errors.ts'
import type { Scope } from '../../ports/operations.ts'
import type { Collection, Store, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { bucketKey, bucketsOf, lockBucket, type Bucket } from './buckets.ts'
import { usageOf, type Definition, type Dimensions, type QuotaScope } from './definitions.ts'

/** What a new row takes of one definition. */
export interface Taken {
  readonly definition: string
  readonly dimensions?: Dimensions
}

/** The quotas of an area by definitions and limits of buckets, without inheritance along the tree (conventions §10). */
export class Quotas {
  readonly buckets: Collection<Bucket>
  readonly definitions: readonly Definition[]
  readonly #byId: ReadonlyMap<string, Definition>

  constructor(area: string, definitions: readonly Definition[]) {
    this.buckets = bucketsOf(area)
    this.definitions = definitions
    this.#byId = new Map(definitions.map(definition => [definition.id, definition]))
  }

  /** Undefined when no definition has this id. */
  find(id: string): Definition | undefined {
    return this.#byId.get(id)
  }

  /**
   * Counts rows that the transaction has written already, `n` of them, in one bucket. Throws QUOTA_EXCEEDED when the
   * bucket has no room for them; -1 never refuses, and neither does giving back, which needs no call.
   */
  async consumeLimit(tx: Transaction, id: string, scope: QuotaScope, dimensions: Dimensions, n: number): Promise<void> {
    const definition = this.#byId.get(id)
    if (definition === undefined) throw new Error(`there is no quota definition "${id}"`)
    const { value: bucket } = await lockBucket(tx, this.buckets, id, scope, dimensions)
    const limit = bucket.limit_id === '' ? definition.default_limit : bucket.limit
    if (limit < 0) return
    const usage = (await usageOf(tx, definition, scope, dimensions)) - n
    if (usage + n > limit) throw exceeded(id, { scope, dimensions, limit, usage, n })
  }

  /** As `consumeLimit` for one row of a workspace, in the order of the definitions; those of the organisation with it. */
  async consume(
    tx: Transaction,
    taxonomy: Pick<Taxonomy, 'chain'>,
    workspace: string,
    taken: readonly Taken[],
  ): Promise<void> {
    const own: QuotaScope = { type: 'WORKSPACE', id: workspace }
    const sorted = taken.toSorted((one, other) => (one.definition < other.definition ? -1 : 1))
    for (const { definition, dimensions = {} } of sorted) {
      const isOwn = this.#byId.get(definition)?.scope !== 'ORGANISATION'
      const scope = isOwn ? own : await organisationOf(tx, taxonomy, own)
      await this.consumeLimit(tx, definition, scope, dimensions, 1)
    }
  }

  /**
   * Forgets the buckets of rows below a deleted row, in its transaction: `vpc_id` with the id of a VPC. A bucket with a limit
   * stays until its limit is deleted.
   */
  async forget(tx: Transaction, workspace: string, dimension: string, value: string): Promise<void> {
    for (const { dimensions, id } of this.definitions) {
      if (dimensions.length !== 1 || dimensions[0] !== dimension) continue
      const bucket = await tx.lock(this.buckets, bucketKey(id, workspace, { [dimension]: value }))
      if (bucket?.value.limit_id === '') await tx.delete(this.buckets, bucket.id, bucket.version)
    }
  }

  /** Forgets the buckets of a workspace that is purged. */
  purge(store: Store, workspace: string): Promise<void> {
    return store.tx(tx => this.purgeIn(tx, workspace))
  }

  /** As `purge`, in a transaction that deletes the limits of the buckets too. */
  async purgeIn(tx: Transaction, workspace: string): Promise<void> {
    for await (const { id, version } of tx.each(this.buckets, { scope_id: workspace }))
      await tx.delete(this.buckets, id, version)
  }
}

/** The organisation of a scope that exists. */
async function organisationOf(tx: Transaction, taxonomy: Pick<Taxonomy, 'chain'>, scope: Scope): Promise<QuotaScope> {
  const organisation = (await taxonomy.chain(tx, scope))?.at(-1)
  if (organisation === undefined) throw new Error(`${scope.type} ${scope.id} has no organisation`)
  return { type: 'ORGANISATION', id: organisation.id }
}

interface Excess {
  readonly scope: QuotaScope
  readonly dimensions: Dimensions
  readonly limit: number
  readonly usage: number
  readonly n: number
}

function exceeded(quota: string, { dimensions, limit, n, scope, usage }: Excess): Error {
  const used = `${usage} of ${limit} are used, ${n} more ${n === 1 ? 'was' : 'were'} requested`
  const where = Object.entries(dimensions).map(([name, value]) => ` with ${name} ${value}`)
  return quotaExceeded(
    `quota ${quota} is used up at ${scope.type} ${scope.id}${where.join('')}: ${used}`,
    {
      ...dimensions,
      quota,
      limit: String(limit),
      usage: String(usage),
      requested: String(n),
      scope_type: scope.type,
      scope_id: scope.id,
    },
    { quota: [{ subject: quota, description: used }] },
  )
}
