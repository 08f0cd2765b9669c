import type { Collection } from '../../domain/ports/store.ts'
import { memberColumns, ownColumns, quoteName, type Column, type WrittenColumn } from './columns.ts'
import { computedColumns, orderedByOf } from './computed.ts'
import type { Dialect } from './dialect.ts'
import { NewerStore } from './format.ts'
import { HiddenMembers } from './hidden.ts'
import { indexesOf, isUnique, type Index } from './indexes.ts'
import type { Columns } from './order.ts'
import { StatementTexts } from './statement-texts.ts'

/** The facts and statements of one collection, which are prepared once. */
export interface Layout extends Columns {
  readonly id: string
  /** The quoted name of the table. */
  readonly table: string
  /** The columns that a write fills, after key and body. */
  readonly written: readonly WrittenColumn[]
  /** The names of columns that earlier versions wrote. */
  readonly former: readonly string[]
  readonly indexes: readonly Index[]
  /** The hidden members; undefined for a collection without hidden members. */
  readonly hidden: HiddenMembers | undefined
  /** The cached texts of statements that read pages. */
  readonly texts: StatementTexts
  /** The subquery for the version of a key's row. */
  readonly versionOf: string
  /** The statement that reads the row of a key: its key, version and body. */
  readonly get: string
  /** The statement that also locks the row of a key until the end of the transaction. */
  readonly lock: string
  readonly share: string
  /** The statement that inserts a row, unless the key exists. */
  readonly insert: string
  /** Returns the statement that inserts a number of rows whose keys do not exist. */
  readonly insertMany: (rows: number) => string
  readonly update: string
  /** The statements that update only some columns, keyed by the positions of the columns in `written`, with commas. */
  readonly updates: Map<string, string>
  readonly delete: string
}

/**
 * The maximal length of a name in bytes: PostgreSQL silently truncates longer names, so two names could become equal.
 */
const maxNameBytes = 63

/** Returns the layout of a collection. Throws for a faulty declaration of the collection. */
export function layoutOf(collection: Collection<never>, dialect: Dialect): Layout {
  const table = quoteName(collection.name)
  const columns = columnsOf(collection, dialect)
  const scalars = [...columns.values()].filter(column => column.sql !== ownColumns.key)
  const written = [...scalars, ...(collection.list === undefined ? [] : dialect.listColumns(collection.list))]
  const names = written.map(column => column.sql)
  const orderedBy = orderedByOf(collection)
  const indexes = indexesOf(collection, { collection: collection.name, columns, dialect, orderedBy })
  checkNames([collection, ...written, ...indexes])
  checkFormer(collection, written)
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
    insert: insertText(table, names, 1),
    insertMany: rows => insertText(table, names, rows),
    update: updateText(table, names),
    updates: new Map(),
    delete: `DELETE FROM ${table} WHERE ${key} = ? AND ${version} = ?`,
  }
}

/**
 * Returns the columns of a collection, keyed by name, the columns of its members first. Throws if a name occurs twice.
 */
function columnsOf(collection: Collection<never>, dialect: Dialect): ReadonlyMap<string, Column> {
  const members = memberColumns(collection, dialect)
  const computed = computedColumns(collection, dialect)
  const twice = [...computed.keys()].find(name => members.has(name))
  if (twice === undefined) return new Map([...members, ...computed])
  throw new Error(
    `collection "${collection.name}" has a member "${twice}", so that no computed column can have its name`,
  )
}

/** The present state of a table: the names of its columns, and the names and statements of its indexes. */
export interface Present {
  readonly columns: Iterable<string>
  readonly indexes: Iterable<readonly [name: string, sql: string]>
}

/**
 * Throws `NewerStore` if a table has a column that neither this version nor an earlier version writes: rows of this
 * version would lack the column, and newer servers would not find the rows. Throws `NewerStore` too for an unknown
 * unique set, whose violations this version could not report to callers; raising the format drops such a set.
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

/** Returns the undeclared indexes of a table: leftovers of an earlier version, or indexes of a newer version. */
export function undeclared({ indexes }: Layout, present: Present['indexes']): (readonly [name: string, sql: string])[] {
  const declared = new Set(indexes.map(({ name }) => name))
  return [...present].filter(([name]) => !declared.has(name))
}

/** Throws for a column with a former name, because old rows would have values of another meaning. */
function checkFormer({ formerColumns = [], name }: Collection<never>, written: readonly WrittenColumn[]): void {
  const again = written.find(column => formerColumns.includes(column.name))
  if (again !== undefined)
    throw new Error(`collection "${name}" writes the column "${again.name}", which is one of its former columns`)
}

function checkNames(named: readonly { readonly name: string }[]): void {
  const long = named.find(({ name }) => Buffer.byteLength(name) > maxNameBytes)
  if (long !== undefined) throw new Error(`"${long.name}" is longer than the ${maxNameBytes} bytes of a name in SQL`)
}

/** Returns an INSERT of a number of rows with some columns, given by their quoted names. */
function insertText(table: string, names: readonly string[], rows: number): string {
  const { key, version, body } = ownColumns
  const row = `(${'?, '.repeat(names.length + 2)}1)`
  const values = Array<string>(rows).fill(row).join(', ')
  return `INSERT INTO ${table} (${[key, body, ...names, version].join(', ')}) VALUES ${values} ON CONFLICT (${key}) DO NOTHING`
}

/** Returns an UPDATE that sets the body and some columns, given by their quoted names. */
export function updateText(table: string, names: readonly string[]): string {
  const { key, version, body } = ownColumns
  const set = [body, ...names].map(name => `${name} = ?`).join(', ')
  return `UPDATE ${table} SET ${set}, ${version} = ${version} + 1 WHERE ${key} = ? AND ${version} = ?`
}
