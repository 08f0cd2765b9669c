import type { Stored } from '../../domain/ports/store.ts'
import type { Layout } from './layout.ts'

/** Rows that are kept for a transaction; one that reads more begins anew. */
const maxRows = 1000

/** How a transaction holds a row: against changes, which others may do too, or alone. */
export type Hold = 'shared' | 'alone'

interface Held {
  /** Undefined where there is no row. */
  readonly stored: Stored<unknown> | undefined
  readonly hold: Hold
}

/**
 * What a transaction has read and nobody else can change before it ends, so that it is read and parsed once: rows that
 * it has locked, shared or written, and where it holds the whole store, all others too.
 */
export class HeldRows {
  readonly #rows = new Map<Layout, Map<string, Held>>()
  readonly #trees = new Map<Layout, Map<string, readonly Stored<unknown>[]>>()
  #count = 0
  #moment = 0

  /** Another one with every row that is written. */
  get moment(): number {
    return this.#moment
  }

  /** The row of a key, when it is held this way or a stronger one. */
  row<T>(layout: Layout, key: string, hold: Hold = 'shared'): { readonly stored: Stored<T> | undefined } | undefined {
    const held = this.#rows.get(layout)?.get(key)
    if (held === undefined || (hold === 'alone' && held.hold === 'shared')) return undefined
    // Rows are kept by the layout of their collection.
    return held as { readonly stored: Stored<T> | undefined }
  }

  /** `moment` is that of when the row was asked for or written: it may be another one after a later write. */
  keep(layout: Layout, key: string, held: Held, moment: number): void {
    if (moment !== this.#moment) return
    if (this.#count >= maxRows) this.#clear()
    this.#count += 1
    mapOf(this.#rows, layout).set(key, held)
  }

  /** The rows that were read from a row upwards. */
  tree<T>(layout: Layout, key: string): readonly Stored<T>[] | undefined {
    return this.#trees.get(layout)?.get(key) as readonly Stored<T>[] | undefined
  }

  /** `moment` as in `keep`. */
  keepTree(layout: Layout, key: string, rows: readonly Stored<unknown>[], moment: number): void {
    if (moment !== this.#moment) return
    if (this.#count >= maxRows) this.#clear()
    this.#count += rows.length + 1
    mapOf(this.#trees, layout).set(key, rows)
  }

  /** To be called before a row is written: what is read meanwhile must not be kept from before. */
  forget(layout: Layout, key: string): void {
    this.#moment += 1
    this.#rows.get(layout)?.delete(key)
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
