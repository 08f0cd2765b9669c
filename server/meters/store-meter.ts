import type { Path } from '../../domain/ports/path.ts'
import type {
  Beside,
  Narrowing,
  Collection,
  CommitOptions,
  PageOptions,
  Reader,
  Store,
  Stored,
  StoredPage,
  Transaction,
  Where,
  Witnessed,
  WitnessedPage,
} from '../../domain/ports/store.ts'
import { ApiError, commonReasons } from '../../runtime/errors.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { Buckets } from './buckets.ts'

const bounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const

/**
 * The end of a transaction: committed, rolled back by an expected error, given up by the store, or rolled back by a
 * defect.
 */
type TransactionEnd = 'committed' | 'refused' | 'unavailable' | 'failed'

/** The results of transactions, and their durations. */
export class StoreMeter {
  readonly ends = new Map<TransactionEnd, number>([
    ['committed', 0],
    ['refused', 0],
    ['unavailable', 0],
    ['failed', 0],
  ])
  /** The number of repeated runs, after a conflict or while the store was busy. */
  retries = 0
  /** The number of transactions that wait for their first run. */
  waiting = 0
  /** The time at which a transaction was last given up, by `performance.now`, a clock that cannot be set. */
  lastUnavailableMs = -Infinity
  /** The time from the call to the first run: the wait for the store. */
  readonly waits = new Buckets(bounds)
  /** The time from the call to the end. */
  readonly durations = new Buckets(bounds)

  ended(end: TransactionEnd): void {
    if (end === 'unavailable') this.lastUnavailableMs = performance.now()
    this.ends.set(end, (this.ends.get(end) ?? 0) + 1)
  }
}

/** Wraps a store and measures its transactions; reads pass through. */
export class MeteredStore implements Store {
  readonly #store: Store
  readonly #meter: StoreMeter
  readonly scrub: Store['scrub']

  constructor(store: Store, meter: StoreMeter) {
    this.#store = store
    this.#meter = meter
    this.scrub = store.scrub?.bind(store)
  }

  async tx<R>(fn: (tx: Transaction) => Promise<R>, options?: CommitOptions): Promise<R> {
    const meter = this.#meter
    const startMs = performance.now()
    let runs = 0
    meter.waiting += 1
    try {
      const result = await this.#store.tx(tx => {
        runs += 1
        if (runs === 1) this.#begun(startMs)
        else meter.retries += 1
        return fn(tx)
      }, options)
      meter.ended('committed')
      return result
    } catch (error) {
      meter.ended(endOf(error))
      throw error
    } finally {
      if (runs === 0) this.#begun(startMs)
      meter.durations.observe(performance.now() - startMs)
    }
  }

  snapshot<R>(read: (reader: Reader) => Promise<R>): Promise<R> {
    return this.#store.snapshot(read)
  }

  get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    return this.#store.get(collection, id)
  }

  getWith<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    id: string,
    beside: Beside<Members>,
  ): Promise<Witnessed<T, Members> | undefined> {
    return this.#store.getWith(collection, id, beside)
  }

  find<T>(collection: Collection<T>, where: Where<T>): Promise<Stored<T> | undefined> {
    return this.#store.find(collection, where)
  }

  count<T>(collection: Collection<T>, where?: Where<T>): Promise<number> {
    return this.#store.count(collection, where)
  }

  exists<T>(collection: Collection<T>, where: Where<T>): Promise<boolean> {
    return this.#store.exists(collection, where)
  }

  tally<T>(collection: Collection<T>, column: Path<T>, where?: Where<T>): Promise<ReadonlyMap<string, number>> {
    return this.#store.tally(collection, column, where)
  }

  sum<T>(collection: Collection<T>, column: Path<T>, where?: Where<T>): Promise<number> {
    return this.#store.sum(collection, column, where)
  }

  each<T>(collection: Collection<T>, where?: Where<T>, after?: string): AsyncGenerator<Stored<T>, void, undefined> {
    return this.#store.each(collection, where, after)
  }

  list<T>(
    collection: Collection<T>,
    query: ListQuery,
    where?: Narrowing<T>,
    options?: Pick<Beside<never>, 'witness'>,
  ): Promise<WitnessedPage<T>> {
    return this.#store.list(collection, query, where, options)
  }

  page<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    query: ListQuery,
    where?: Narrowing<T>,
    options?: PageOptions<Members>,
  ): Promise<StoredPage<T, Members>> {
    return this.#store.page(collection, query, where, options)
  }

  above<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]> {
    return this.#store.above(collection, parent, ids)
  }

  below<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]> {
    return this.#store.below(collection, parent, ids)
  }

  #begun(startMs: number): void {
    this.#meter.waiting -= 1
    this.#meter.waits.observe(performance.now() - startMs)
  }
}

function endOf(error: unknown): TransactionEnd {
  if (!(error instanceof ApiError)) return 'failed'
  return error.reason === commonReasons.ENGINE_UNAVAILABLE.reason ? 'unavailable' : 'refused'
}
