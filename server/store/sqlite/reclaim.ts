import { statSync } from 'node:fs'
import type { SqliteConnection } from './connection.ts'

/** The maximal number of 4 KiB pages that one step reclaims, so that writers need not wait long. */
const stepPages = 256

/** The share of the file that stays free, because new rows use it again. */
const spareShare = 0.1

/**
 * The length of the log in bytes beyond which the log is truncated. Without long readers, SQLite keeps the log shorter.
 */
const maxLogBytes = 8 * 1024 * 1024

/**
 * Reclaims some free pages, and truncates a log that a long reader has made grow; runs outside of transactions of the
 * writer. Returns true if there are more pages to reclaim. A file without `auto_vacuum` keeps and reuses its pages.
 */
export function reclaimStep(writer: SqliteConnection): boolean {
  const logBytes = statSync(`${writer.file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  // While a reader uses replaced parts of the log, the checkpoint has no effect, and the next run tries again.
  if (logBytes > maxLogBytes) writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  if (numberOf(writer, 'auto_vacuum') === 0) return false
  const excess = excessPages(writer)
  if (excess <= 0) return false
  writer.exec(`PRAGMA incremental_vacuum(${Math.min(stepPages, excess)})`)
  if (excess > stepPages) return true
  // The file is truncated once the log with the change is written back into it.
  writer.exec('PRAGMA wal_checkpoint(PASSIVE)')
  return false
}

function excessPages(writer: SqliteConnection): number {
  const spare = Math.max(stepPages, Math.floor(numberOf(writer, 'page_count') * spareShare))
  return numberOf(writer, 'freelist_count') - spare
}

const numberOf = (writer: SqliteConnection, pragma: string): number => Number(writer.get(`PRAGMA ${pragma}`)?.[0])
