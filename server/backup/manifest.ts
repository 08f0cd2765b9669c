import type { DatabaseSync } from 'node:sqlite'
import { isRecord } from '../../runtime/validation.ts'
import type { TableDigest } from './digest.ts'

/** The table that makes a file of SQLite a backup; stores do not have it. */
export const manifestTable = 'ninefold_backup'

/** What a backup is written in. One that holds more than a store would have another number, and older programs refuse it. */
export const backupFormat = 1

/** What a backup says of itself. */
export interface Manifest {
  readonly format: number
  /** Of the program that made it. */
  readonly version: string
  /** How far the store's own tables were migrated. */
  readonly schema: number
  /** When it was asked for: all that was acknowledged before is in it. RFC 3339. */
  readonly time: string
  readonly tables: Readonly<Record<string, TableDigest>>
}

/** Makes a copy of a store a backup. */
export function writeManifest(database: DatabaseSync, manifest: Manifest): void {
  database.exec(`CREATE TABLE ${manifestTable} (manifest TEXT NOT NULL)`)
  database.prepare(`INSERT INTO ${manifestTable} (manifest) VALUES (?)`).run(JSON.stringify(manifest))
}

/** Undefined in a file that is no backup. Throws what SQLite throws on a file that is none of its own. */
export function readManifest(database: DatabaseSync): Manifest | undefined {
  const isThere = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = ?`).get(manifestTable) !== undefined
  const text = isThere ? database.prepare(`SELECT manifest FROM ${manifestTable}`).get()?.['manifest'] : undefined
  return typeof text === 'string' ? parsed(text) : undefined
}

function parsed(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isManifest(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || !isRecord(value['tables'])) return false
  const isTold = typeof value['version'] === 'string' && typeof value['time'] === 'string'
  return isTold && typeof value['format'] === 'number' && typeof value['schema'] === 'number'
}

/** How far the own tables of a store, or of a copy, are migrated; undefined in what is no store. */
export function schemaOf(database: DatabaseSync): number | undefined {
  const isStore = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'ninefold_migrations'`).get()
  if (isStore === undefined) return undefined
  return Number(database.prepare('SELECT coalesce(max(number), 0) AS last FROM ninefold_migrations').get()?.['last'])
}

/** The rows of all tables. */
export const rowsIn = ({ tables }: Manifest): number => Object.values(tables).reduce((sum, { rows }) => sum + rows, 0)
