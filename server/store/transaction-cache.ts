import type { Stored } from '../../domain/ports/store.ts'
import type { Layout } from './layout.ts'

/** The maximal number of cached rows of a transaction; beyond, the cache is cleared. */
const maxRows = 1000

/** The lock of a transaction on a row: shared with other transactions, or exclusive (`alone`). */
export type LockMode = 'shared' | 'alone'

interface CachedRow {
  /** The row; undefined for an absent row. */
  readonly stored: Stored<unknown> | undefined
  readonly hold: LockMode
}

/**
 * Caches rows that other transactions cannot change before this transaction ends, so that each row is read and parsed
 * once: rows that the transaction has locked, shared or written, and all rows if it has locked the whole store.
 */
export class TransactionCache {
  readonly #rows = new Map<Layout, Map<string, CachedRow>>()
  readonly #trees = new Map<Layout, Map<string, readonly Stored<unknown>[]>>()
  #count = 0
  #moment = 0

  /** A number that changes with every written row. */
  get moment(): number {
    return this.#moment
  }

  /** Returns the row of a key, if it is cached with this lock or a stronger one. */
  row<T>(
    layout: Layout,
    key: string,
    hold: LockMode = 'shared',
  ): { readonly stored: Stored<T> | undefined } | undefined {
    const held = this.#rows.get(layout)?.get(key)
    if (held === undefined || (hold === 'alone' && held.hold === 'shared')) return undefined
    // Rows are cached by the layout of their collection.
    return held as { readonly stored: Stored<T> | undefined }
  }

  /** Caches a row; `moment` is the moment of its read or write. A later write makes the row outdated. */
  keep(layout: Layout, key: string, held: CachedRow, moment: number): void {
    if (moment !== this.#moment) return
    if (this.#count >= maxRows) this.#clear()
    this.#count += 1
    mapOf(this.#rows, layout).set(key, held)
  }

  /**
   * Returns the cached result of a search for ancestors; undefined without a cached result. The key names the column of
   * the parents and the rows.
   */
  tree<T>(layout: Layout, key: string): readonly Stored<T>[] | undefined {
    return this.#trees.get(layout)?.get(key) as readonly Stored<T>[] | undefined
  }

  /** Caches the result of a search for ancestors; `moment` is the moment of the read. */
  keepTree(layout: Layout, key: string, rows: readonly Stored<unknown>[], moment: number): void {
    if (moment !== this.#moment) return
    if (this.#count >= maxRows) this.#clear()
    this.#count += rows.length + 1
    mapOf(this.#trees, layout).set(key, rows)
  }

  /**
   * Removes a row and all ancestors of its layout from the cache. Called before the row is written: a read in progress
   * must not cache the old row.
   */
  forget(layout: Layout, key: string): void {
    this.#moment += 1
    this.#rows.get(layout)?.delete(key)
    this.#trees.delete(layout)
  }

  /** Removes all rows of a layout from the cache, as `forget` does. */
  forgetAll(layout: Layout): void {
    this.#moment += 1
    this.#rows.delete(layout)
    this.#trees.delete(layout)
  }

  #clear(): void {
    this.#rows.clear()
    this.#trees.clear()
    this.#count = 0
  }
}

function mapOf<V>(maps: Map<Layout, Map<string, V>>, layout: Layout): Map<string, V> {
  const known = maps.get(layout)
  if (known) return known
  const made = new Map<string, V>()
  maps.set(layout, made)
  return made
}
