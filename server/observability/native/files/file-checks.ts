import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { FileFault, openForReading, rowOf, type FileKind } from './telemetry-file.ts'

/** Yields the fault of a file: what SQLite finds, or else what `check` throws. */
export function* faultsIn(file: string, kind: FileKind, check: (database: DatabaseSync) => void): Generator<string> {
  const fault = faultOf(file, kind, check)
  if (fault !== undefined) yield `has a damaged file: ${basename(file)} ${fault}`
}

function faultOf(file: string, kind: FileKind, check: (database: DatabaseSync) => void): string | undefined {
  let database: DatabaseSync | undefined
  try {
    database = openForReading(file, kind)
    if (database === undefined) return undefined
    const [[found] = []] = rows(database, 'PRAGMA quick_check(1)')
    if (found !== 'ok') return String(found)
    check(database)
    return undefined
  } catch (error) {
    if (error instanceof FileFault) return error.message.slice(error.file.length + 1)
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    database?.close()
  }
}

/** Returns the rows of a query, which are read one after the other. */
export const rows = (database: DatabaseSync, sql: string): Iterable<unknown[]> =>
  database.prepare(sql).iterate() as unknown as Iterable<unknown[]>

/** Returns the number that a query gives; 0 for none. */
export const numberOf = (database: DatabaseSync, sql: string): number =>
  rowOf<[number | null]>(database.prepare(sql))?.[0] ?? 0
