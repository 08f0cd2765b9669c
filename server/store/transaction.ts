import type { Path } from '../../domain/ports/path.ts'
import {
  Conflict,
  type Collection,
  type Reader,
  type Stored,
  type Transaction,
  type Where,
} from '../../domain/ports/store.ts'
import { isRecord, own } from '../../runtime/validation.ts'
import { all } from './keyset.ts'
import { equalities } from './select.ts'
import { TransactionCache, type LockMode } from './transaction-cache.ts'
import type { Layout } from './layout.ts'
import { ScopedReader } from './scoped-reader.ts'
import { storedOf, StoredText } from './stored-text.ts'
import { insertOf, insertsOf, textOf, updateOf, type Write } from './writes.ts'

/**
 * The calls of one transaction on its connection. All calls throw after the end of `within`, and after the error of a
 * violated unique set, after which PostgreSQL gives the transaction up.
 */
export class StoreTransaction extends ScopedReader implements Transaction {
  readonly #hooks: (() => void)[] = []
  readonly #held = new TransactionCache()
  #taken: Error | undefined
  /** Reads the row whose insert has violated a unique set. */
  #readRefused: ((reader: Reader) => Promise<unknown>) | undefined
  #isBound = false

  /** Throws the error of an earlier violation of a unique set, even if a caller has caught the error. */
  check(): void {
    if (this.#taken !== undefined) throw this.#taken
  }

  /**
   * Whether another transaction has committed the row with which an insert of this transaction has violated a unique set:
   * the server may have reported the unique set instead of the id.
   */
  async isMadeByOther(reader: Reader): Promise<boolean> {
    return (await this.#readRefused?.(reader)) !== undefined
  }

  /** Whether the transaction has tried to change collections that servers of another version may write differently. */
  get isBound(): boolean {
    return this.#isBound
  }

  /** Calls the callbacks of `afterCommit`. */
  committed(): void {
    for (const run of this.#hooks) run()
  }

  afterCommit(run: () => void): void {
    this.#hooks.push(run)
  }

  /** Reads a row. Unless the transaction locks the whole store, the next read may return another version of the row. */
  override async get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    const layout = this.layoutOf(collection)
    return this.#row(layout, id, layout.get, layout.dialect.isSingleWriter ? 'alone' : undefined)
  }

  async lock<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    const layout = this.layoutOf(collection)
    return this.#row(layout, id, layout.lock, 'alone')
  }

  async share<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    const layout = this.layoutOf(collection)
    return this.#row(layout, id, layout.share, layout.dialect.isSingleWriter ? 'alone' : 'shared')
  }

  override async above<T>(
    collection: Collection<T>,
    parent: Path<T>,
    ids: readonly string[],
  ): Promise<readonly Stored<T>[]> {
    const layout = this.layoutOf(collection)
    if (!layout.dialect.isSingleWriter) return super.above(collection, parent, ids)
    const key = JSON.stringify([parent, ...ids])
    const { moment } = this.#held
    const known = this.#held.tree<T>(layout, key)
    if (known) return known
    const rows = await super.above(collection, parent, ids)
    this.#held.keepTree(layout, key, rows, moment)
    return rows
  }

  async insert<T>(collection: Collection<T>, document: T): Promise<Stored<T>> {
    const layout = this.layoutOf(collection)
    const id = idOf(layout, document)
    const text = textOf(layout, document)
    const stored = new StoredText<T>(layout, id, 1, text)
    try {
      const isInserted = await this.#write(collection, document, stored, insertOf(layout, { id, document, text }))
      if (!isInserted) throw changedMeanwhile(collection)
    } catch (error) {
      if (this.#taken !== undefined) this.#readRefused = reader => reader.get(collection, id)
      throw error
    }
    return stored
  }

  async insertAll<T>(collection: Collection<T>, documents: readonly T[]): Promise<void> {
    const layout = this.layoutOf(collection)
    if (collection.uniques !== undefined) throw new Error(`"${collection.name}" has unique sets: insert each document`)
    const rows = documents.map(document => {
      const id = idOf(layout, document)
      this.#writes(collection, layout, id)
      return { id, document, text: textOf(layout, document) }
    })
    for (const { count, sql, values } of insertsOf(layout, rows))
      if ((await this.connection.run(sql, values)) < count) throw changedMeanwhile(collection)
  }

  async update<T>(collection: Collection<T>, id: string, document: T, version: number): Promise<Stored<T>> {
    const updated = await this.tryUpdate(collection, id, document, version)
    if (updated === undefined) throw changedMeanwhile(collection)
    return updated
  }

  async tryUpdate<T>(
    collection: Collection<T>,
    id: string,
    document: T,
    version: number,
  ): Promise<Stored<T> | undefined> {
    const layout = this.layoutOf(collection)
    if (idOf(layout, document) !== id) throw new Error(`a document of "${collection.name}" cannot change its id`)
    const text = textOf(layout, document)
    const held = layout.dialect.isSingleWriter ? this.#held.row<T>(layout, id)?.stored : undefined
    const before = held instanceof StoredText && held.version === version ? held.parsed : undefined
    const write = updateOf(layout, { id, document, text }, version, before)
    const stored = new StoredText<T>(layout, id, version + 1, text)
    return (await this.#write(collection, document, stored, write)) ? stored : undefined
  }

  async delete<T>(collection: Collection<T>, id: string, version: number): Promise<void> {
    const layout = this.layoutOf(collection)
    this.#writes(collection, layout, id)
    const deleted = await this.connection.run(layout.delete, [id, version])
    if (deleted === 0) throw changedMeanwhile(collection)
  }

  async deleteAll<T>(collection: Collection<T>, where: Where<T>): Promise<number> {
    const layout = this.layoutOf(collection)
    this.#isBound ||= collection.isOfAnyVersion !== true
    this.#held.forgetAll(layout)
    const { sql, parameters } = all(equalities(layout, where))
    return this.connection.run(`DELETE FROM ${layout.table} WHERE ${sql}`, parameters)
  }

  protected override layoutOf(collection: { readonly name: string }): Layout {
    const layout = super.layoutOf(collection)
    this.check()
    return layout
  }

  /**
   * Returns a row: the cached row if it has the lock `hold` (any lock if undefined), otherwise the read row. A row that
   * was read with a lock is cached.
   */
  async #row<T>(layout: Layout, id: string, sql: string, hold?: LockMode): Promise<Stored<T> | undefined> {
    const held = this.#held.row<T>(layout, id, hold)
    if (held) return held.stored
    const { moment } = this.#held
    const row = await this.connection.get(sql, [id])
    const stored = row === undefined ? undefined : storedOf<T>(layout, row)
    if (hold !== undefined && (stored !== undefined || layout.dialect.isSingleWriter))
      this.#held.keep(layout, id, { stored, hold }, moment)
    return stored
  }

  #writes({ isOfAnyVersion = false }: Collection<never>, layout: Layout, id: string): void {
    this.#isBound ||= !isOfAnyVersion
    this.#held.forget(layout, id)
  }

  /**
   * Writes a document as `stored` and caches `stored`; returns true if the row was written. Throws the error of a
   * violated unique set.
   */
  async #write<T>(collection: Collection<T>, document: T, stored: Stored<T>, { sql, values }: Write): Promise<boolean> {
    const layout = this.layoutOf(collection)
    this.#writes(collection, layout, stored.id)
    const { moment } = this.#held
    try {
      const isWritten = (await this.connection.run(sql, values)) > 0
      if (isWritten) this.#held.keep(layout, stored.id, { stored, hold: 'alone' }, moment)
      return isWritten
    } catch (error) {
      const fields = layout.dialect.violated(error, layout)?.join()
      const unique = collection.uniques?.find(declared => declared.fields.join() === fields)
      throw (this.#taken = unique?.taken(document)) ?? error
    }
  }
}

const changedMeanwhile = (collection: { readonly name: string }): Conflict =>
  new Conflict(`a document of "${collection.name}" changed meanwhile`)

function idOf(layout: Layout, document: unknown): string {
  const id = isRecord(document) ? own(document, layout.id) : undefined
  if (typeof id === 'string' && id !== '' && !id.includes('\0')) return id
  throw new TypeError(`a document of "${layout.collection}" needs a text in "${layout.id}"`)
}
