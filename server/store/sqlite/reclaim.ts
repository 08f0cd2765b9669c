import { statSync } from 'node:fs'
import type { SqliteConnection } from './connection.ts'

/** Pages of 4 KiB that one step gives back at most: writers wait no longer than that. */
const stepPages = 256

/** This share of the file stays free: new rows take it again, and nothing is gained by giving it back first. */
const spareShare = 0.1

/** The log is cut when it is longer than SQLite lets it grow by itself while nobody reads for long. */
const maxLogBytes = 8 * 1024 * 1024

/**
 * Gives a step's worth of free pages back to the disk, and cuts a log that a long reader has made grow; runs outside of
 * transactions of the writer. Answers whether there is more to give back. A file made without `auto_vacuum` keeps its
 * pages and fills them again.
 */
export function reclaimStep(writer: SqliteConnection): boolean {
  const logBytes = statSync(`${writer.file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  // While somebody still reads what the log replaced, this changes nothing, and the next turn tries again.
  if (logBytes > maxLogBytes) writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  if (numberOf(writer, 'auto_vacuum') === 0) return false
  const excess = excessPages(writer)
  if (excess <= 0) return false
  writer.exec(`PRAGMA incremental_vacuum(${Math.min(stepPages, excess)})`)
  if (excess > stepPages) return true
  // The file is cut when the log that says so is written back into it.
  writer.exec('PRAGMA wal_checkpoint(PASSIVE)')
  return false
}

function excessPages(writer: SqliteConnection): number {
  const spare = Math.max(stepPages, Math.floor(numberOf(writer, 'page_count') * spareShare))
  return numberOf(writer, 'freelist_count') - spare
}

const numberOf = (writer: SqliteConnection, pragma: string): number => Number(writer.get(`PRAGMA ${pragma}`)?.[0])
