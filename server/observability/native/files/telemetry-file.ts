import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { renameDurably, syncFile } from '../../../durable-files.ts'

/** The purpose of a file. */
export type FileKind = 'days' | 'index' | 'logDays' | 'logIndex' | 'spans' | 'traces'

/** The value of `PRAGMA application_id` in the files of telemetry: "nine". */
const applicationId = 0x6e_69_6e_65

/**
 * The newest version of the format of each kind of file, which this server writes. It reads the older ones too. In days of
 * version 1, the parts and chunks of metrics, the blocks of logs, and spans have no checksums; days of version 2 have rows
 * of both forms.
 */
const versions = { days: 2, index: 1, logDays: 2, logIndex: 1, spans: 2, traces: 1 } as const

/** The size of pages in bytes: large for long values, and small for the random order of the ids of traces. */
const pageSizeOf = (kind: FileKind): number => (kind === 'traces' ? 4096 : 16_384)

/** The error of a file that is damaged, foreign, or of a newer version. The message continues the name of the file. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
  readonly file: string

  constructor(file: string, fault: string, cause?: unknown) {
    super(`${file} ${fault}`, { cause })
    this.file = file
  }
}

/** The permissions of the files: for their owner only. */
const fileMode = 0o600

/** Opens a file of telemetry, which is made with its tables if it is absent. Throws `FileFault`. */
export function openForWriting(file: string, kind: FileKind, schema: string): DatabaseSync {
  return checked(file, () => {
    if (!existsSync(file)) make(file, kind, schema)
    const database = new DatabaseSync(file, { timeout: 5000, returnArrays: true })
    try {
      if (checkedVersion(database, file, kind) < versions[kind]) setVersion(database, kind)
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192')
      database.exec('PRAGMA journal_size_limit = 67108864')
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** Makes a file under another name first, so that a file with its own name always has its tables. */
function make(file: string, kind: FileKind, schema: string): void {
  const draft = `${file}.new`
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(draft + ending, { force: true })
  closeSync(openSync(draft, 'wx', fileMode))
  const database = new DatabaseSync(draft)
  try {
    database.exec(`PRAGMA page_size = ${pageSizeOf(kind)}; PRAGMA auto_vacuum = INCREMENTAL`)
    database.exec(`BEGIN; ${schema}; COMMIT; PRAGMA journal_mode = WAL`)
    database.exec(`PRAGMA application_id = ${applicationId}`)
    setVersion(database, kind)
  } finally {
    database.close()
  }
  syncFile(draft)
  renameDurably(draft, file)
}

/** Opens a file of telemetry for reading; undefined if there is no such file. Throws `FileFault`. */
export function openForReading(file: string, kind: FileKind): DatabaseSync | undefined {
  if (!existsSync(file)) return undefined
  return checked(file, () => {
    const database = new DatabaseSync(file, { timeout: 1000, returnArrays: true, readOnly: true })
    try {
      checkedVersion(database, file, kind)
      // No file is mapped: the memory of the server would count the mapped pages, once for each thread that maps them.
      database.exec('PRAGMA cache_size = -4096; PRAGMA mmap_size = 0')
      return database
    } catch (error) {
      database.close()
      if (!existsSync(file)) return undefined
      throw error
    }
  })
}

/** Runs a change in a transaction of its own; the caller turns errors of SQLite into faults by `checked`. */
export function transact(database: DatabaseSync, change: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    change()
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Calls a function that reads or writes a file; throws its errors of SQLite as `FileFault`. */
export function checked<T>(file: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (error instanceof FileFault) throw error
    throw new FileFault(file, `cannot be used: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}

/** Returns the rows of a statement, whose columns are known to be those of `Row`. */
export const rowsOf = <Row extends readonly unknown[]>(
  statement: StatementSync,
  ...parameters: readonly SQLInputValue[]
): Row[] => statement.all(...parameters) as unknown as Row[]

/** Returns the first row of a statement, whose columns are known to be those of `Row`. */
export const rowOf = <Row extends readonly unknown[]>(
  statement: StatementSync,
  ...parameters: readonly SQLInputValue[]
): Row | undefined => statement.get(...parameters) as unknown as Row | undefined

/**
 * Iterates over the rows of a statement. A loop that ends early ends the read of the statement too, so that later reads
 * get the newest content.
 */
export function* iterateRows<Row extends readonly unknown[]>(
  file: string,
  statement: StatementSync,
  ...parameters: readonly (bigint | number | string | null)[]
): Generator<Row, undefined> {
  const rows = checked(file, () => statement.iterate(...parameters)) as unknown as IterableIterator<Row>
  try {
    for (;;) {
      const next = checked(file, () => rows.next())
      if (next.done === true) return
      yield next.value
    }
  } finally {
    rows.return?.()
  }
}

/** Returns the version of the format of a file. Throws `FileFault` for a file that this server does not read. */
function checkedVersion(database: DatabaseSync, file: string, kind: FileKind): number {
  if (numberOf(database, 'PRAGMA application_id') !== applicationId)
    throw new FileFault(file, 'is no file of telemetry; move it away')
  const version = numberOf(database, 'PRAGMA user_version')
  if (version < 1 || version > versions[kind])
    throw new FileFault(file, `has the format ${version}, and this server reads ${versions[kind]}; use a newer server`)
  return version
}

const setVersion = (database: DatabaseSync, kind: FileKind): void =>
  database.exec(`PRAGMA user_version = ${versions[kind]}`)

function numberOf(database: DatabaseSync, sql: string): number {
  const [value = 0] = rowOf<[number]>(database.prepare(sql)) ?? []
  return value
}

/** The number of pages that one call gives back: a call takes some milliseconds. */
const pagesOfStep = 500

/** Gives some pages without content back to the file system; returns whether none is left. */
export function giveBack(database: DatabaseSync): boolean {
  database.exec(`PRAGMA incremental_vacuum(${pagesOfStep}); PRAGMA wal_checkpoint(PASSIVE)`)
  return rowOf<[number]>(database.prepare('PRAGMA freelist_count'))?.[0] === 0
}
