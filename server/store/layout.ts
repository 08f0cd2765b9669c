import type { Collection } from '../../domain/ports/store.ts'
import { memberColumns, ownColumns, quoteName, type Column, type WrittenColumn } from './columns.ts'
import { computedColumns, orderedByOf } from './computed.ts'
import type { Dialect } from './dialect.ts'
import { NewerStore } from './format.ts'
import { HiddenMembers } from './hidden.ts'
import { indexesOf, isUnique, type Index } from './indexes.ts'
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
  /** What is cut from texts; undefined when nothing is. */
  readonly hidden: HiddenMembers | undefined
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
  /** As `update`, for the places of the columns alone that it is to set. */
  readonly updates: Map<string, string>
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
  const orderedBy = orderedByOf(collection)
  const indexes = indexesOf(collection, { collection: collection.name, columns, dialect, orderedBy })
  checkNames([collection, ...written, ...indexes])
  const { key, version, body } = ownColumns
  const get = `SELECT ${key}, ${version}, ${body} FROM ${table} WHERE ${key} = ?`
  return {
    collection: collection.name,
    id: collection.id,
    dialect,
    table,
    columns,
    orderedBy,
    written,
    former: collection.formerColumns ?? [],
    indexes,
    hidden: HiddenMembers.of(collection),
    texts: new StatementTexts(),
    versionOf: `(SELECT ${version} FROM ${table} WHERE ${key} = ?)`,
    get,
    lock: get + dialect.lock,
    share: get + dialect.share,
    insert: `INSERT INTO ${table} (${[key, body, ...names, version].join(', ')}) VALUES (${'?, '.repeat(names.length + 2)}1) ON CONFLICT (${key}) DO NOTHING`,
    update: updateText(table, names),
    updates: new Map(),
    delete: `DELETE FROM ${table} WHERE ${key} = ? AND ${version} = ?`,
  }
}

/** The columns of a collection by name, those of its members first. Throws when one is named twice. */
function columnsOf(collection: Collection<never>, dialect: Dialect): ReadonlyMap<string, Column> {
  const members = memberColumns(collection, dialect)
  const computed = computedColumns(collection, dialect)
  const twice = [...computed.keys()].find(name => members.has(name))
  if (twice === undefined) return new Map([...members, ...computed])
  throw new Error(
    `collection "${collection.name}" has a member "${twice}", so that no computed column can have its name`,
  )
}

/** What a table has: the names of its columns, and the statements of its indexes by their names. */
export interface Present {
  readonly columns: Iterable<string>
  readonly indexes: Iterable<readonly [name: string, sql: string]>
}

/**
 * Throws `NewerStore` unless a table has only columns that this version writes, or that earlier ones did: rows that it
 * wrote would lack the others, and newer servers would never find them. So it does when the table has a unique set that
 * this version does not know, and so would not tell callers of; one that raises the format gives it up.
 */
export function checkKnown(layout: Layout, { columns, indexes }: Present, isRaised: boolean): void {
  const { collection, former, written } = layout
  const own: readonly string[] = Object.values(ownColumns)
  const known = new Set([...own, ...former.map(quoteName), ...written.map(({ sql }) => sql)])
  const column = [...columns].find(name => !known.has(quoteName(name)))
  if (column !== undefined)
    throw new NewerStore(`table ${collection} has column ${column}, which this version would not write`)
  const unique = undeclared(layout, indexes).find(([, sql]) => isUnique(sql))
  if (unique === undefined || isRaised) return
  const [, keys = ''] = unique[1].split(` ON ${layout.table} `)
  throw new NewerStore(
    `table ${collection} has the unique set (${keys.replaceAll(/[()"]/g, '')}), which this version does not know`,
  )
}

/** The indexes of a table that this version does not declare: an earlier one has left them, or a newer one needs them. */
export function undeclared({ indexes }: Layout, present: Present['indexes']): (readonly [name: string, sql: string])[] {
  const declared = new Set(indexes.map(({ name }) => name))
  return [...present].filter(([name]) => !declared.has(name))
}

function checkNames(named: readonly { readonly name: string }[]): void {
  const long = named.find(({ name }) => Buffer.byteLength(name) > maxNameBytes)
  if (long !== undefined) throw new Error(`"${long.name}" is longer than the ${maxNameBytes} bytes of a name in SQL`)
}

/** An UPDATE that sets the body and certain columns, named in SQL. */
export function updateText(table: string, names: readonly string[]): string {
  const { key, version, body } = ownColumns
  const set = [body, ...names].map(name => `${name} = ?`).join(', ')
  return `UPDATE ${table} SET ${set}, ${version} = ${version} + 1 WHERE ${key} = ? AND ${version} = ?`
}
