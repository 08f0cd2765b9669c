import type { DatabaseSync } from 'node:sqlite'
import { isRecord } from '../../runtime/validation.ts'
import type { TableDigest } from './digest.ts'

/** The name of the table that marks a SQLite file as a backup; stores do not have this table. */
export const manifestTable = 'ninefold_backup'

/**
 * The format number of backups. A backup with more content than the store would need another number, which older
 * programs refuse.
 */
export const backupFormat = 1

/** The facts of a backup about itself. */
export interface BackupManifest {
  readonly format: number
  /** The version of the program that made the backup. */
  readonly version: string
  /** The migration number of the store's own tables. */
  readonly schema: number
  /** The time of the request in RFC 3339: the backup holds all changes that were acknowledged before. */
  readonly time: string
  readonly tables: Readonly<Record<string, TableDigest>>
}

/** Marks a copy of a store as a backup. */
export function writeManifest(database: DatabaseSync, manifest: BackupManifest): void {
  database.exec(`CREATE TABLE ${manifestTable} (manifest TEXT NOT NULL)`)
  database.prepare(`INSERT INTO ${manifestTable} (manifest) VALUES (?)`).run(JSON.stringify(manifest))
}

/**
 * Returns the manifest of a backup, or undefined for a database that is no backup. Throws the errors of SQLite for a
 * file that is no database.
 */
export function readBackupManifest(database: DatabaseSync): BackupManifest | undefined {
  const isThere = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = ?`).get(manifestTable) !== undefined
  const text = isThere ? database.prepare(`SELECT manifest FROM ${manifestTable}`).get()?.['manifest'] : undefined
  return typeof text === 'string' ? parsed(text) : undefined
}

function parsed(text: string): BackupManifest | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isManifest(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isManifest(value: unknown): value is BackupManifest {
  if (!isRecord(value) || !isRecord(value['tables'])) return false
  const isTold = typeof value['version'] === 'string' && typeof value['time'] === 'string'
  return isTold && typeof value['format'] === 'number' && typeof value['schema'] === 'number'
}

/** Returns the migration number of the own tables in a store or copy; undefined for other files. */
export function schemaOf(database: DatabaseSync): number | undefined {
  const isStore = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'ninefold_migrations'`).get()
  if (isStore === undefined) return undefined
  return Number(database.prepare('SELECT coalesce(max(number), 0) AS last FROM ninefold_migrations').get()?.['last'])
}

/** Returns the number of rows in all tables of a backup. */
export const rowsIn = ({ tables }: BackupManifest): number =>
  Object.values(tables).reduce((sum, { rows }) => sum + rows, 0)
