import type { ErrorDomain } from '../../../runtime/errors.ts'
import type { Collection, Reader, Store, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { bucketKey, bucketsOf, lockBucket, type Bucket } from './buckets.ts'
import { usageOf, type Definition, type Dimensions, type KnownDefinitions, type QuotaScope } from './definitions.ts'
import { exceeded } from './exceeded.ts'
import type { Scope } from '../../ports/scope.ts'

/** The bucket in which a new row counts. */
export interface Taken {
  readonly definition: string
  readonly dimensions?: Dimensions
}

/** The number `n` of new rows, or the new amount, and how much of it the transaction has written already. */
interface NewRows {
  readonly n: number
  readonly written: number
}

/** The quotas of an area: definitions, and limits of buckets, without inheritance along the tree (conventions §10). */
export class Quotas implements KnownDefinitions<Definition> {
  readonly buckets: Collection<Bucket>
  readonly definitions: readonly Definition[]
  readonly #domain: ErrorDomain
  readonly #byId: ReadonlyMap<string, Definition>

  /**
   * `domain` is the error domain of every refusal. A refusal keeps this domain when the call is of another area,
   * because the quota is a rule of the area that declares it (conventions §7).
   */
  constructor(domain: ErrorDomain, definitions: readonly Definition[]) {
    this.#domain = domain
    this.buckets = bucketsOf(domain.name)
    this.definitions = definitions
    this.#byId = new Map(definitions.map(definition => [definition.id, definition]))
  }

  /** Returns the definition with this id; undefined if no definition has the id. */
  find(id: string): Definition | undefined {
    return this.#byId.get(id)
  }

  /**
   * Checks that one bucket has room for `n` rows, or an amount of `n`, which the transaction has already written. Throws
   * QUOTA_EXCEEDED if the bucket has no room; the limit -1 always has room. A deletion needs no call, because usage is
   * read from the rows.
   */
  consumeLimit(tx: Transaction, id: string, scope: QuotaScope, dimensions: Dimensions, n: number): Promise<void> {
    return this.#require(tx, id, scope, dimensions, { n, written: n })
  }

  /** Returns the limit of one bucket, without a lock; -1 if there is no limit. */
  async limitOf(reader: Reader, id: string, scope: QuotaScope, dimensions: Dimensions): Promise<number> {
    const bucket = (await reader.get(this.buckets, bucketKey(id, scope.id, dimensions)))?.value
    return limitIn(bucket, this.#definition(id))
  }

  /**
   * Checks that each bucket of `taken` has room for one row of a workspace, which the transaction has already written,
   * in the order of the definitions' ids. Definitions of organisations count at the organisation of the workspace.
   * Throws QUOTA_EXCEEDED at the first bucket without room.
   */
  consume(
    tx: Transaction,
    taxonomy: Pick<Taxonomy, 'chain'>,
    workspace: string,
    taken: readonly Taken[],
  ): Promise<void> {
    return this.#requireEach(tx, taxonomy, workspace, taken, { n: 1, written: 1 })
  }

  /**
   * Checks as `consume` does, for a row that the transaction has yet to write. Callers need this function if members of
   * the row depend on a capacity, because quotas are checked before capacity (conventions §4).
   */
  requireRoom(
    tx: Transaction,
    taxonomy: Pick<Taxonomy, 'chain'>,
    workspace: string,
    taken: readonly Taken[],
  ): Promise<void> {
    return this.#requireEach(tx, taxonomy, workspace, taken, { n: 1, written: 0 })
  }

  async #requireEach(
    tx: Transaction,
    taxonomy: Pick<Taxonomy, 'chain'>,
    workspace: string,
    taken: readonly Taken[],
    rows: NewRows,
  ): Promise<void> {
    const own: QuotaScope = { type: 'WORKSPACE', id: workspace }
    const sorted = taken.toSorted((one, other) => (one.definition < other.definition ? -1 : 1))
    for (const { definition, dimensions = {} } of sorted) {
      const isOwn = this.#byId.get(definition)?.scope !== 'ORGANISATION'
      const scope = isOwn ? own : await organisationOf(tx, taxonomy, own)
      await this.#require(tx, definition, scope, dimensions, rows)
    }
  }

  async #require(
    tx: Transaction,
    id: string,
    scope: QuotaScope,
    dimensions: Dimensions,
    { n, written }: NewRows,
  ): Promise<void> {
    const definition = this.#definition(id)
    const { value: bucket } = await lockBucket(tx, this.buckets, id, scope, dimensions)
    const limit = limitIn(bucket, definition)
    if (limit < 0) return
    const usage = (await usageOf(tx, definition, scope, dimensions)) - written
    if (usage + n > limit) throw exceeded(this.#domain, id, { scope, dimensions, limit, usage, n })
  }

  #definition(id: string): Definition {
    const definition = this.#byId.get(id)
    if (definition === undefined) throw new Error(`there is no quota definition "${id}"`)
    return definition
  }

  /**
   * Deletes the buckets that only a deleted row used, in the transaction that deletes the row. For a VPC, these are the
   * buckets whose only dimension `vpc_id` is the id of the VPC. A bucket with a limit stays until its limit is deleted.
   */
  async forget(tx: Transaction, workspace: string, dimension: string, value: string): Promise<void> {
    for (const { dimensions, id } of this.definitions) {
      if (dimensions.length !== 1 || dimensions[0] !== dimension) continue
      const bucket = await tx.lock(this.buckets, bucketKey(id, workspace, { [dimension]: value }))
      if (bucket?.value.limit_id === '') await tx.delete(this.buckets, bucket.id, bucket.version)
    }
  }

  /** Deletes the buckets of a purged workspace. */
  purge(store: Store, workspace: string): Promise<void> {
    return store.tx(tx => this.purgeIn(tx, workspace))
  }

  /** Deletes the buckets of a purged workspace, in a transaction that also deletes the limits of the buckets. */
  async purgeIn(tx: Transaction, workspace: string): Promise<void> {
    for await (const { id, version } of tx.each(this.buckets, { scope_id: workspace }))
      await tx.delete(this.buckets, id, version)
  }
}

/** Returns the limit of a bucket, or the default limit of its definition. */
const limitIn = (bucket: Bucket | undefined, { default_limit }: Definition): number =>
  bucket === undefined || bucket.limit_id === '' ? default_limit : bucket.limit

/** Returns the organisation of an existing scope. */
async function organisationOf(tx: Transaction, taxonomy: Pick<Taxonomy, 'chain'>, scope: Scope): Promise<QuotaScope> {
  const organisation = (await taxonomy.chain(tx, scope))?.at(-1)
  if (organisation === undefined) throw new Error(`${scope.type} ${scope.id} has no organisation`)
  return { type: 'ORGANISATION', id: organisation.id }
}
