import { Conflict, type Collection, type Stored, type Transaction } from '../../domain/ports/store.ts'
import { isRecord, own } from '../../runtime/validation.ts'
import { ownColumns } from './columns.ts'
import { sqliteCode, sqliteCodes } from './errors.ts'
import { columnValues, type Layout } from './layout.ts'
import { columnNamed } from './order.ts'
import { SqliteReader, StoredText } from './reader.ts'

/** The calls of one transaction on the writer's connection; after `end` all of them throw. */
export class SqliteTransaction extends SqliteReader implements Transaction {
  readonly #hooks: (() => void)[] = []
  #isOpen = true

  get isOpen(): boolean {
    return this.#isOpen
  }

  end(): void {
    this.#isOpen = false
  }

  /** Calls what waits for the commit. */
  committed(): void {
    for (const run of this.#hooks) run()
  }

  afterCommit(run: () => void): void {
    this.#hooks.push(run)
  }

  /** `BEGIN IMMEDIATE` has locked every row already. */
  lock<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    return this.get(collection, id)
  }

  share<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    return this.get(collection, id)
  }

  async insert<T>(collection: Collection<T>, document: T): Promise<Stored<T>> {
    const layout = this.layoutOf(collection)
    const id = idOf(layout, document)
    const text = JSON.stringify(document)
    const values = [id, text, ...columnValues(layout, document)]
    this.#write(collection, document, layout, () => this.connection.run(layout.insert, values))
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
    const changed = this.#write(collection, document, layout, () => this.connection.run(layout.update, values))
    return changed === 0 ? undefined : new StoredText<T>(id, version + 1, text)
  }

  async delete<T>(collection: Collection<T>, id: string, version: number): Promise<void> {
    const { table } = this.layoutOf(collection)
    const sql = `DELETE FROM ${table} WHERE ${ownColumns.key} = ? AND ${ownColumns.version} = ?`
    if (this.connection.run(sql, [id, version]) === 0) throw changedMeanwhile(collection)
  }

  protected override layoutOf(collection: { readonly name: string }): Layout {
    if (!this.#isOpen) throw new Error('the transaction has ended; its calls must be awaited inside it')
    return super.layoutOf(collection)
  }

  #write<T>(collection: Collection<T>, document: T, layout: Layout, write: () => number): number {
    try {
      return write()
    } catch (error) {
      if (sqliteCode(error) === sqliteCodes.primaryKeyViolated) throw changedMeanwhile(collection)
      if (sqliteCode(error) !== sqliteCodes.uniqueViolated) throw error
      throw takenError(collection, document, layout, String(error)) ?? error
    }
  }
}

const changedMeanwhile = (collection: { readonly name: string }): Conflict =>
  new Conflict(`a document of "${collection.name}" changed meanwhile`)

/** SQLite names the columns of the violated index: `UNIQUE constraint failed: table.a, table.b`. */
function takenError<T>(collection: Collection<T>, document: T, layout: Layout, message: string): Error | undefined {
  const violated = collection.uniques?.find(({ fields }) => {
    const names = fields.map(name => `${layout.collection}.${columnNamed(layout, name).sql.slice(1, -1)}`)
    return message.endsWith(`: ${names.join(', ')}`)
  })
  return violated?.taken(document)
}

function idOf(layout: Layout, document: unknown): string {
  const id = isRecord(document) ? own(document, layout.id) : undefined
  if (typeof id === 'string' && id !== '' && !id.includes('\0')) return id
  throw new TypeError(`a document of "${layout.collection}" needs a text in "${layout.id}"`)
}
