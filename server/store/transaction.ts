import { Conflict, type Collection, type Stored, type Transaction } from '../../domain/ports/store.ts'
import { isRecord, own } from '../../runtime/validation.ts'
import type { SqlValue } from './connection.ts'
import { columnValues, type Layout } from './layout.ts'
import { storedOf, StoredText } from './reader.ts'
import { ScopedReader } from './scoped-reader.ts'

/**
 * The calls of one transaction on its connection; after `end` all of them throw. So do those behind the error of a
 * violated unique set, for which PostgreSQL gives a transaction up.
 */
export class StoreTransaction extends ScopedReader implements Transaction {
  readonly #hooks: (() => void)[] = []
  #taken: Error | undefined
  #hasWritten = false

  /** Throws the error of a unique set that was violated, whoever caught it. */
  check(): void {
    if (this.#taken !== undefined) throw this.#taken
  }

  /** Whether it has tried to change anything. */
  get hasWritten(): boolean {
    return this.#hasWritten
  }

  /** Calls what waits for the commit. */
  committed(): void {
    for (const run of this.#hooks) run()
  }

  afterCommit(run: () => void): void {
    this.#hooks.push(run)
  }

  async lock<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    const row = await this.connection.get(this.layoutOf(collection).lock, [id])
    return row === undefined ? undefined : storedOf(row)
  }

  async share<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    const row = await this.connection.get(this.layoutOf(collection).share, [id])
    return row === undefined ? undefined : storedOf(row)
  }

  async insert<T>(collection: Collection<T>, document: T): Promise<Stored<T>> {
    const layout = this.layoutOf(collection)
    const id = idOf(layout, document)
    const text = JSON.stringify(document)
    const values = [id, text, ...columnValues(layout, document)]
    const inserted = await this.#write(collection, document, layout, layout.insert, values)
    if (inserted === 0) throw changedMeanwhile(collection)
    return new StoredText<T>(id, 1, text)
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
    const text = JSON.stringify(document)
    const values = [text, ...columnValues(layout, document), id, version]
    const changed = await this.#write(collection, document, layout, layout.update, values)
    return changed === 0 ? undefined : new StoredText<T>(id, version + 1, text)
  }

  async delete<T>(collection: Collection<T>, id: string, version: number): Promise<void> {
    this.#hasWritten = true
    const deleted = await this.connection.run(this.layoutOf(collection).delete, [id, version])
    if (deleted === 0) throw changedMeanwhile(collection)
  }

  protected override layoutOf(collection: { readonly name: string }): Layout {
    const layout = super.layoutOf(collection)
    this.check()
    return layout
  }

  async #write<T>(
    collection: Collection<T>,
    document: T,
    layout: Layout,
    sql: string,
    values: readonly SqlValue[],
  ): Promise<number> {
    this.#hasWritten = true
    try {
      return await this.connection.run(sql, values)
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
