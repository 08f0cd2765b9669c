import { LRUCache } from 'lru-cache'

/** A read that was begun; what changed meanwhile spoils it. */
interface Loading<Value> {
  readonly value: Promise<Value | undefined>
  isSpoilt: boolean
}

/** Keeps so many things. Room is made as they come: `max` alone would have lru-cache fill all of it at once. */
export const atMost = (max: number) => ({ maxSize: max, sizeCalculation: (): number => 1 })

/** How much may be kept, and who wants to know of it. */
interface Keeping<Value> {
  /**
   * Values differ in size: those kept weigh at most `max` together, each as much as its share among as many as may be
   * kept or more. One that alone weighs more than all is not kept.
   */
  readonly weight?: { readonly max: number; readonly of: (value: Value) => number }
  readonly came?: (value: Value, key: string) => void
  readonly went?: (value: Value, key: string) => void
}

/** What weighs less than its share counts as if it weighed that much, which keeps `max` values and no more. */
function byWeight<Value>(max: number, weight: NonNullable<Keeping<Value>['weight']>) {
  const share = Math.ceil(weight.max / max)
  return { maxSize: weight.max, sizeCalculation: (value: Value): number => Math.max(share, weight.of(value)) }
}

/** A value that changes faster than it is read is handed out as it was read, but not kept. */
const maxReads = 5

/**
 * What was read is kept until it is dropped, the least used goes first. What is asked for at once is read once. A read
 * that a change fell into is done again: nothing from before a drop is kept, or given to who asks after it.
 */
export class LoadingCache<Value extends object> {
  readonly #kept: LRUCache<string, Value>
  readonly #loading = new Map<string, Loading<Value>>()
  #drops = 0
  readonly #read: (key: string) => Promise<Value | undefined>

  /** `read` answers undefined for what there is not, which is not kept. */
  constructor(max: number, read: (key: string) => Promise<Value | undefined>, keeping: Keeping<Value> = {}) {
    const { came, weight, went } = keeping
    this.#kept = new LRUCache({
      ...(weight ? byWeight(max, weight) : atMost(max)),
      ...(came && { onInsert: came }),
      ...(went && { dispose: went }),
    })
    this.#read = read
  }

  /** What is kept, without a read. */
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

  /** How often something was dropped: what `keep` wants to know from before the read. */
  get drops(): number {
    return this.#drops
  }

  /** Puts in what was read by other means, unless something was dropped since. */
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

  /** Spoils what is being read: of it nobody knows yet whether a change concerns it. */
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
