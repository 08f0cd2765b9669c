import type { Collection } from '../../domain/ports/store.ts'
import { columnValue, ownColumns, type Column } from './columns.ts'
import { Connection, type Row } from './connection.ts'
import { isCorrupt } from './errors.ts'
import { layoutOf, type Layout } from './layout.ts'
import { SqliteReader } from './reader.ts'
import type { SqliteOptions } from './sqlite.ts'

/**
 * Opens a file that a server may be writing, to read it as of one moment. Throws when it does not exist, or lacks a
 * table or column of the declarations: nothing is made and nothing is changed.
 */
export function openSnapshot({ file, collections = [] }: SqliteOptions): SqliteSnapshot {
  const connection = new Connection(file, 'snapshot')
  try {
    const layouts = collections.map(layoutOf)
    connection.exec('BEGIN')
    for (const layout of layouts) connection.all(`${selectWritten(layout)} LIMIT 0`)
    return new SqliteSnapshot(connection, new Map(layouts.map(layout => [layout.collection, layout])))
  } catch (error) {
    connection.close()
    throw error
  }
}

/** The reading half of a store, in one transaction that ends when it is closed. */
export class SqliteSnapshot extends SqliteReader {
  /** What SQLite finds wrong with the file itself, for people; nothing when it is sound. */
  damages(): readonly string[] {
    try {
      const told = this.connection.all('PRAGMA integrity_check').map(([message]) => String(message))
      return told.filter(message => message !== 'ok')
    } catch (error) {
      if (isCorrupt(error)) return [error instanceof Error ? error.message : String(error)]
      throw error
    }
  }

  /** The keys of rows whose columns, by which they are found, say something else than their documents. */
  async *mismatches(collection: Collection<never>): AsyncGenerator<string, void, undefined> {
    const layout = this.layoutOf(collection)
    const page = `${selectWritten(layout)} WHERE ${ownColumns.key} > ? ORDER BY ${ownColumns.key} LIMIT ${pageSize}`
    let last: string | undefined = ''
    while (last !== undefined) {
      const rows: Row[] = this.connection.all(page, [last])
      for (const row of rows) if (!isMatching(layout, row)) yield String(row[0])
      last = rows.length < pageSize ? undefined : String(rows.at(-1)?.[0])
    }
  }

  close(): void {
    this.connection.close()
  }
}

/** Rows that are held at a time. */
const pageSize = 500

const selectWritten = ({ table, written }: Layout): string =>
  `SELECT ${[ownColumns.key, ownColumns.body, ...written.map(({ sql }) => sql)].join(', ')} FROM ${table}`

function isMatching({ columns, id, written }: Layout, [key, body, ...values]: Row): boolean {
  try {
    const document: unknown = JSON.parse(String(body))
    const idColumn = columns.get(id)
    const isOwn = idColumn !== undefined && columnValue(idColumn, document) === key
    return isOwn && written.every((column, i) => isEqual(column, document, values[i]))
  } catch (error) {
    // What is no JSON, or holds no value of a column's type, was not written by a store.
    if (error instanceof SyntaxError || error instanceof TypeError) return false
    throw error
  }
}

/** Integers are written as `bigint` and read as `number`. */
function isEqual(column: Column, document: unknown, value: Row[number] | undefined): boolean {
  const expected = columnValue(column, document)
  return expected === null || value === null ? expected === value : String(expected) === String(value)
}
