import type { Collection } from '../../domain/ports/store.ts'
import { columnsOf, ownColumns, quoteName, type WrittenColumn } from './columns.ts'
import type { SqlValue } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { indexesOf, type Index } from './indexes.ts'
import type { Columns } from './order.ts'
import { StatementTexts } from './statement-texts.ts'

/** What the store knows of one collection, made once when it is declared. */
export interface Layout extends Columns {
  readonly id: string
  /** The quoted name of the table. */
  readonly table: string
  /** The columns that a row is written with, after key and body. */
  readonly written: readonly WrittenColumn[]
  /** The names of columns that earlier versions wrote. */
  readonly former: readonly string[]
  readonly indexes: readonly Index[]
  /** Of the statements that read pages. */
  readonly texts: StatementTexts
  /** The version of the row of a key, as a value of SQL. */
  readonly versionOf: string
  /** Reads the row of a key as `select` does. */
  readonly get: string
  /** As `get`, and holds the row until the end of the transaction. */
  readonly lock: string
  readonly share: string
  /** Changes no row when there is one of the key. */
  readonly insert: string
  readonly update: string
  readonly delete: string
}

/** PostgreSQL cuts names silently behind so many bytes, so that two of them could become one. */
const maxNameBytes = 63

export function layoutOf(collection: Collection<never>, dialect: Dialect): Layout {
  const table = quoteName(collection.name)
  const columns = columnsOf(collection, dialect)
  const scalars = [...columns.values()].filter(column => column.sql !== ownColumns.key)
  const written = [...scalars, ...(collection.list === undefined ? [] : dialect.listColumns(collection.list))]
  const names = written.map(column => column.sql)
  const indexes = indexesOf(collection, { collection: collection.name, columns, dialect })
  checkNames([collection, ...written, ...indexes])
  const { key, version, body } = ownColumns
  const get = `SELECT ${key}, ${version}, ${body} FROM ${table} WHERE ${key} = ?`
  return {
    collection: collection.name,
    id: collection.id,
    dialect,
    table,
    columns,
    written,
    former: collection.formerColumns ?? [],
    indexes,
    texts: new StatementTexts(),
    versionOf: `(SELECT ${version} FROM ${table} WHERE ${key} = ?)`,
    get,
    lock: get + dialect.lock,
    share: get + dialect.share,
    insert: `INSERT INTO ${table} (${[key, body, ...names, version].join(', ')}) VALUES (${'?, '.repeat(names.length + 2)}1) ON CONFLICT (${key}) DO NOTHING`,
    update: `UPDATE ${table} SET ${[body, ...names].map(name => `${name} = ?`).join(', ')}, ${version} = ${version} + 1 WHERE ${key} = ? AND ${version} = ?`,
    delete: `DELETE FROM ${table} WHERE ${key} = ? AND ${version} = ?`,
  }
}

/**
 * Throws unless a table has only columns that this version writes, or that earlier ones did: rows that it wrote would
 * lack the others, and newer servers would never find them.
 */
export function checkKnown({ collection, former, written }: Layout, present: Iterable<string>): void {
  const own: readonly string[] = Object.values(ownColumns)
  const known = new Set([...own, ...former.map(quoteName), ...written.map(({ sql }) => sql)])
  const unknown = [...present].find(name => !known.has(quoteName(name)))
  if (unknown === undefined) return
  throw new Error(
    `a newer version of the server has changed the store: table ${collection} has column ${unknown}, which this version would not write; start that version or a newer one, or restore a backup from before it`,
  )
}

/** What is written of a document, in the order of `written`. */
export function columnValues(layout: Layout, document: unknown): SqlValue[] {
  return layout.written.map(column => column.valueOf(document))
}

function checkNames(named: readonly { readonly name: string }[]): void {
  const long = named.find(({ name }) => Buffer.byteLength(name) > maxNameBytes)
  if (long !== undefined) throw new Error(`"${long.name}" is longer than the ${maxNameBytes} bytes of a name in SQL`)
}
