import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { SortedLabels } from './sample-batch.ts'

/** The largest number of series whose sums are kept; the series that was written longest ago is forgotten first. */
const maxSums = 100_000

interface Sum {
  readonly time: number
  readonly value: number
}

/**
 * The sums of points of delta temporality, by ingestion config and series. The sums live in memory: after a restart, and
 * for a forgotten series, a counter begins again at 0, as after a restart of the sender.
 */
export class DeltaSums {
  readonly #sums = new LRUCache<string, Sum>({ max: maxSums })

  /** Returns whether a point is later than the last point of the series. */
  isNext(config: string, labels: SortedLabels, time: number): boolean {
    return time > (this.#sums.peek(keyOf(config, labels))?.time ?? -Infinity)
  }

  /** Adds a point to the sum of the series, and returns the sum. */
  add(config: string, labels: SortedLabels, time: number, delta: number): number {
    const key = keyOf(config, labels)
    const value = (this.#sums.get(key)?.value ?? 0) + delta
    this.#sums.set(key, { time, value })
    return value
  }
}

/** A hash, because labels may be long. */
const keyOf = (config: string, labels: SortedLabels) => hash('sha256', JSON.stringify([config, labels]), 'base64')
