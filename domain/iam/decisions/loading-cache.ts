import { LRUCache } from 'lru-cache'

/** A read in progress; a change during the read makes its result outdated. */
interface Loading<Value> {
  readonly value: Promise<Value | undefined>
  isSpoilt: boolean
}

/** The maximal number of entries. The space grows with the entries: lru-cache would allocate all of `max` at once. */
export const entryLimit = (max: number) => ({ maxSize: max, sizeCalculation: (): number => 1 })

/** The limits of a cache, and its listeners. */
interface Keeping<Value> {
  /**
   * The weight of a value, for values of different sizes. All entries together weigh at most `max`. An entry weighs at
   * least the share of one among the maximal number of entries. A value that weighs more than `max` is not cached.
   */
  readonly weight?: { readonly max: number; readonly of: (value: Value) => number }
  readonly came?: (value: Value, key: string) => void
  readonly went?: (value: Value, key: string) => void
}

/** A value lighter than its share counts as its share, so the cache holds at most `max` values. */
function byWeight<Value>(max: number, weight: NonNullable<Keeping<Value>['weight']>) {
  const share = Math.ceil(weight.max / max)
  return { maxSize: weight.max, sizeCalculation: (value: Value): number => Math.max(share, weight.of(value)) }
}

/** A value that changes faster than it can be read is returned but not cached. */
const maxReads = 5

/**
 * Caches values until they are dropped; the least recently used value goes first. Concurrent requests share one read. A
 * read during which a change occurred is repeated: a result from before a drop is neither cached nor returned to a
 * later request.
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

  /** The number of drops so far. Callers of `keep` take it before their read. */
  get drops(): number {
    return this.#drops
  }

  /** Caches a value that was read elsewhere, unless an entry was dropped since. */
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

  /** Marks reads in progress as outdated, because it is unknown whether a change concerns them. */
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
