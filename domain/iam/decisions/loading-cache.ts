import { LRUCache } from 'lru-cache'

/** A read in progress. A change during the read makes the result outdated. */
interface Loading<Value> {
  readonly value: Promise<Value | undefined>
  isSpoilt: boolean
}

/**
 * Returns the options of lru-cache for a maximal number of entries. lru-cache allocates memory for all entries in
 * advance if its option is `max`, but not with `maxSize`.
 */
export const entryLimit = (max: number) => ({ maxSize: max, sizeCalculation: (): number => 1 })

/** The options of a cache: its weights, and callbacks for added and removed values. */
interface Keeping<Value> {
  /**
   * The weight of a value, for values of different sizes. The total weight is at most `max`. An entry weighs at least
   * `max` divided by the maximal number of entries. A value heavier than `max` is not cached.
   */
  readonly weight?: { readonly max: number; readonly of: (value: Value) => number }
  readonly came?: (value: Value, key: string) => void
  readonly went?: (value: Value, key: string) => void
}

/**
 * Returns the options of lru-cache for a maximal weight. Each value weighs at least its share, so the cache also holds
 * at most `max` values.
 */
function byWeight<Value>(max: number, weight: NonNullable<Keeping<Value>['weight']>) {
  const share = Math.ceil(weight.max / max)
  return { maxSize: weight.max, sizeCalculation: (value: Value): number => Math.max(share, weight.of(value)) }
}

/** The maximal number of reads in one `load`. A value that changes during each read is returned but not cached. */
const maxReads = 5

/**
 * Caches values until they are dropped or evicted, least recently used first. Concurrent requests share one read. A
 * read is repeated if a change occurred during the read: an outdated result is neither cached nor returned to a later
 * request.
 */
export class LoadingCache<Value extends object> {
  readonly #kept: LRUCache<string, Value>
  readonly #loading = new Map<string, Loading<Value>>()
  #drops = 0
  readonly #read: (key: string) => Promise<Value | undefined>

  /** `read` returns undefined for an absent value, which is not cached. */
  constructor(max: number, read: (key: string) => Promise<Value | undefined>, keeping: Keeping<Value> = {}) {
    const { came, weight, went } = keeping
    this.#kept = new LRUCache({
      ...(weight ? byWeight(max, weight) : entryLimit(max)),
      ...(came && { onInsert: came }),
      ...(went && { dispose: went }),
    })
    this.#read = read
  }

  /** Returns a cached value without a read. */
  peek(key: string): Value | undefined {
    return this.#kept.get(key)
  }

  async load(key: string): Promise<Value | undefined> {
    for (let reads = 1; ; reads += 1) {
      const kept = this.#kept.get(key)
      if (kept !== undefined) return kept
      const loading = this.#loading.get(key) ?? this.#begin(key)
      const value = await loading.value
      if (!loading.isSpoilt || reads === maxReads) return value
    }
  }

  /** The number of drops so far. A caller of `keep` takes this number before its read. */
  get drops(): number {
    return this.#drops
  }

  /** Caches a value that the caller has read, unless an entry was dropped since the caller took `drops`. */
  keep(key: string, value: Value, drops: number): void {
    if (drops === this.#drops) this.#kept.set(key, value)
  }

  drop(key: string): void {
    this.#drops += 1
    this.#kept.delete(key)
    this.#spoil(key)
  }

  dropAll(): void {
    this.#drops += 1
    this.#kept.clear()
    for (const key of this.#loading.keys()) this.#spoil(key)
  }

  /** Marks all reads in progress as outdated, because a change may concern any of them. */
  spoilReads(): void {
    for (const key of this.#loading.keys()) this.#spoil(key)
  }

  #begin(key: string): Loading<Value> {
    const loading: Loading<Value> = { value: this.#read(key), isSpoilt: false }
    this.#loading.set(key, loading)
    const end = (value: Value | undefined): void => {
      if (loading.isSpoilt) return
      this.#loading.delete(key)
      if (value !== undefined) this.#kept.set(key, value)
    }
    loading.value.then(end, () => end(undefined))
    return loading
  }

  #spoil(key: string): void {
    const loading = this.#loading.get(key)
    if (loading === undefined) return
    loading.isSpoilt = true
    this.#loading.delete(key)
  }
}
