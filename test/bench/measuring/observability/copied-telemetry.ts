import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { checksumDigits, storedSpan } from '../../../../server/observability/native/traces/stored-texts.ts'

/** The times that pushed telemetry is there after the copies: a server would need as many times longer to take it. */
export const multiple = 10

/** Returns the files of days in the folder of a signal. */
export const dayFiles = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter(name => /^\d.*\.sqlite$/.test(name))
    .map(name => join(folder, name))

/** Copies the blocks of lines in a folder; returns the number of all lines. Parts are not copied, because they are few. */
export function copyLines(folder: string): number {
  let lines = 0
  for (const file of dayFiles(folder))
    change(file, database => {
      const most = numberIn(database, 'SELECT ifnull(max(id), 0) FROM blocks')
      for (let copy = 1; copy < multiple; copy += 1) {
        const id = `id + ${most * copy}`
        const given = `FROM blocks WHERE is_part = 0 AND id <= ${most}`
        for (const table of ['contents', 'filters'])
          insertCopies(database, table, { id }, `FROM ${table} WHERE id IN (SELECT id ${given})`)
        insertCopies(database, 'blocks', { id }, given)
      }
      lines += numberIn(database, 'SELECT sum(entries) FROM blocks')
    })
  return lines
}

/** The distance between the numbers of a trace and of its copy, which the server does not reach meanwhile. */
const apart = 1_000_000_000

/**
 * Copies the traces in a folder under other ids; returns the ids of the traces whose root span is of a service, in the
 * order of their starts.
 */
export function copyTraces(folder: string, service: string): readonly string[] {
  let ids: readonly string[] = []
  let most = 0
  change(join(folder, 'index.sqlite'), database => {
    most = numberIn(database, 'SELECT max(number) FROM traces')
    for (let copy = 1; copy < multiple; copy += 1) {
      const changed = { number: `number + ${apart * copy}`, trace: 'randomblob(16)' }
      insertCopies(database, 'traces', changed, `FROM traces WHERE number <= ${most}`)
    }
    const rows = database
      .prepare('SELECT lower(hex(trace)) AS id FROM traces WHERE service = ? ORDER BY start')
      .all(service)
    ids = rows.map(({ id }) => String(id))
  })
  for (const file of dayFiles(folder))
    change(file, database => {
      database.function('text_of_copy', { varargs: true }, textOfCopy)
      for (let copy = 1; copy < multiple; copy += 1) {
        const trace = `trace + ${apart * copy}`
        const text = `text_of_copy(${trace}, span, start, resource, error, text)`
        insertCopies(database, 'spans', { trace, text }, `FROM spans WHERE trace <= ${most}`)
      }
    })
  return ids
}

/** Returns the text of a span in another trace, whose checksum covers the number of the trace. */
function textOfCopy(...row: readonly SQLOutputValue[]): string {
  const [trace, span, start, resource, error, stored] = row
  if (!(span instanceof Uint8Array)) throw new Error('a span has no id')
  const key = { trace: Number(trace), span, start: Number(start), resource: Number(resource), error: Number(error) }
  return storedSpan(key, String(stored).slice(checksumDigits))
}

/** Inserts the rows that `from` selects from a table, with some columns changed. */
function insertCopies(
  database: DatabaseSync,
  table: string,
  changed: Readonly<Record<string, string>>,
  from: string,
): void {
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
  const names = columns.map(({ name }) => String(name))
  database.exec(
    `INSERT INTO ${table} (${names.join()}) SELECT ${names.map(name => changed[name] ?? name).join()} ${from}`,
  )
}

const numberIn = (database: DatabaseSync, query: string): number =>
  Number(Object.values(database.prepare(query).get() ?? {})[0])

/** Changes a file that a server has open, in one transaction. */
function change(file: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file, { timeout: 60_000 })
  try {
    database.exec('BEGIN IMMEDIATE')
    work(database)
    database.exec('COMMIT; PRAGMA wal_checkpoint(PASSIVE)')
  } finally {
    database.close()
  }
}
