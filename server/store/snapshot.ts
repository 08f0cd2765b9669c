import type { Collection, Stored } from '../../domain/ports/store.ts'
import { ownColumns, typeOf } from './columns.ts'
import type { Connection, SqlRow, SqlValue } from './connection.ts'
import { damageOf, shownKey, type Mismatch } from './documents.ts'
import type { Layout } from './layout.ts'
import { StoreReader, type Layouts } from './reader.ts'
import { StoredText } from './stored-text.ts'
import { documentOf } from './parsed-body.ts'

/** The functions of a store that its snapshot needs. */
export interface SnapshotKeeper {
  /** The name of the store itself in findings. */
  readonly store: string
  /** Returns the damages of the store itself, for people; empty for a sound store. */
  damages(): Promise<readonly string[]>
  /** Throws if the read data may be inconsistent, because a server has written during the snapshot. */
  verify(): void
  close(): Promise<void>
}

/**
 * Reads a store at one moment, while others may write: all reads are in one transaction until the snapshot is closed.
 */
export class StoreSnapshot extends StoreReader {
  readonly #keeper: SnapshotKeeper

  constructor(connection: Connection, layouts: Layouts, keeper: SnapshotKeeper) {
    super(connection, layouts)
    this.#keeper = keeper
  }

  get store(): string {
    return this.#keeper.store
  }

  damages(): Promise<readonly string[]> {
    return this.#keeper.damages()
  }

  verify(): void {
    this.#keeper.verify()
  }

  /** Whether a document of this collection is readable; an unreadable document is among the mismatches. */
  isReadable(collection: { readonly name: string }, stored: Stored<unknown>): boolean {
    const body = stored instanceof StoredText ? stored.body : stored.text.text
    return damageOf(this.layoutOf(collection), documentOf(body)) === undefined
  }

  close(): Promise<void> {
    return this.#keeper.close()
  }

  /** Iterates over the rows whose documents are unreadable, or contradict the columns by which they are found. */
  async *mismatches(collection: Collection<never>): AsyncGenerator<Mismatch, void, undefined> {
    const layout = this.layoutOf(collection)
    let last: SqlValue | undefined = ''
    // The empty key is invalid, but a damaged row may have it.
    for (let after = '>='; last !== undefined; after = '>') {
      const rows: readonly SqlRow[] = await this.connection.all(selectBodies(layout, after), [last])
      yield* await this.#mismatchesIn(layout, rows)
      last = rows.length < pageSize ? undefined : rows.at(-1)?.[0]
    }
  }

  async #mismatchesIn(layout: Layout, rows: readonly SqlRow[]): Promise<readonly Mismatch[]> {
    const read = rows.map(([key, body]) => {
      const document = documentOf(body)
      const damage = damageOf(layout, document)
      const isOwn = damage === undefined && layout.columns.get(layout.id)?.valueOf(document) === key
      return {
        key: shownKey(key),
        damage,
        values: isOwn ? layout.written.map(each => each.valueOf(document)) : undefined,
      }
    })
    const known = read.flatMap(({ key, values }) => (values === undefined ? [] : [[key, ...values]]))
    const others = new Set(await this.#otherThan(layout, known))
    return read.filter(({ key, values }) => values === undefined || others.has(key))
  }

  /** Returns the keys of rows that differ from these keys and values. */
  async #otherThan({ table, written }: Layout, rows: readonly (readonly SqlValue[])[]): Promise<readonly string[]> {
    if (rows.length === 0 || written.length === 0) return []
    const names = written.map((_, i) => `"_written_${i}"`)
    const cast = ['?', ...written.map(column => `CAST(? AS ${typeOf(column)})`)].join(', ')
    const values = rows.map(() => `(${cast})`).join(', ')
    const differs = written.map(({ sql }, i) => `${table}.${sql} IS DISTINCT FROM ${names[i]}`).join(' OR ')
    const found = await this.connection.all(
      `WITH "_document" ("_id", ${names.join(', ')}) AS (VALUES ${values}) ` +
        `SELECT "_id" FROM "_document" JOIN ${table} ON ${ownColumns.key} = "_id" WHERE ${differs}`,
      rows.flat(),
    )
    return found.map(([key]) => String(key))
  }
}

/**
 * The number of rows that are compared together. Each row gives a statement as many parameters as it has columns, and
 * the number of parameters is limited.
 */
const pageSize = 100

function selectBodies({ table }: Layout, after: string): string {
  const { body, key } = ownColumns
  return `SELECT ${key}, ${body} FROM ${table} WHERE ${key} ${after} ? ORDER BY ${key} LIMIT ${pageSize}`
}

/** Throws if a declared table or column is missing. */
export async function checkTables(connection: Connection, layouts: readonly Layout[]): Promise<void> {
  for (const { table, written } of layouts) {
    const names = [ownColumns.key, ownColumns.body, ...written.map(({ sql }) => sql)].join(', ')
    await connection.all(`SELECT ${names} FROM ${table} LIMIT 0`)
  }
}
