import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import type { AreaModule } from '../area.ts'
import { storeCollections } from '../platform-store.ts'
import { NewerStore } from '../store/format.ts'
import { schemaVersion } from '../store/sqlite/migrations.ts'
import { checkIsKnown } from '../store/sqlite/snapshot.ts'
import { digestTables } from './digest.ts'
import { backupFormat, manifestTable, readBackupManifest, schemaOf, type BackupManifest } from './manifest.ts'

/** Returns the messages of SQLite about damages of a file; empty for a sound file. */
export function damagesOf(database: DatabaseSync): readonly string[] {
  const told = database.prepare('PRAGMA integrity_check').all()
  return told.flatMap(row => Object.values(row).map(String)).filter(message => message !== 'ok')
}

/**
 * Throws if `file` is no file, or if a log or journal of SQLite lies beside the file: a part of its content would be in
 * the log or journal.
 */
export function checkIsAlone(file: string): void {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`${file} is no file; name a backup`)
  for (const beside of [`${file}-wal`, `${file}-journal`]) {
    if (!existsSync(beside)) continue
    throw new Error(`${file} is no backup, or somebody has opened it: ${beside} lies beside it; take an untouched one`)
  }
}

/**
 * Checks that a file is a backup, that this version can restore the backup, and that its content is unchanged. Returns
 * its manifest. Throws an error with the fault and the remedy, which calls the file `name`.
 */
export function examineBackup(file: string, areas: readonly AreaModule[], name = file): BackupManifest {
  checkIsAlone(file)
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const manifest = examined(name, database)
    checkWriter(file, name, manifest, areas)
    return manifest
  } catch (error) {
    if (!isOfSqlite(error)) throw error
    throw new Error(`${name} is no backup, or is damaged (${error.message}); take another one`, { cause: error })
  } finally {
    database.close()
  }
}

function examined(file: string, database: DatabaseSync): BackupManifest {
  const manifest = readBackupManifest(database)
  if (manifest === undefined) throw new Error(`${file} is no backup; "ninefold backup --to FILE" makes one`)
  const { format, schema, version } = manifest
  if (format > backupFormat || schema > schemaVersion) {
    throw madeByNewer(file, version)
  }
  const [foreign] = database.prepare(foreignParts).all()
  if (foreign !== undefined) throw damaged(file, `it has ${String(foreign['name'])}, which no store has`)
  const [damage] = damagesOf(database)
  if (damage !== undefined) throw damaged(file, damage)
  const tables = digestTables(database, name => name !== manifestTable)
  const names = new Set([...Object.keys(tables), ...Object.keys(manifest.tables)])
  const other = [...names].find(name => !isDeepStrictEqual(tables[name], manifest.tables[name]))
  if (other !== undefined) throw damaged(file, `${other} is not what it was when the backup was made`)
  if (schemaOf(database) !== schema) throw damaged(file, 'its schema is not the one that it names')
  return manifest
}

/**
 * Throws for a backup of a newer version, which may have written unknown data into a schema that this version knows.
 */
function checkWriter(file: string, name: string, { version }: BackupManifest, areas: readonly AreaModule[]): void {
  try {
    checkIsKnown({ file, collections: storeCollections(areas) })
  } catch (error) {
    throw error instanceof NewerStore ? madeByNewer(name, `${version} (${error.difference})`, error) : error
  }
}

const madeByNewer = (file: string, version: string, cause?: unknown): Error =>
  new Error(`${file} was made by the newer version ${version}, which alone can restore it`, { cause })

/**
 * Selects the triggers, views and virtual tables of a file. In a forged backup, they would run with the statements of
 * the server.
 */
const foreignParts = `SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%'`

const damaged = (file: string, damage: string): Error =>
  new Error(`${file} is damaged (${damage}); take another backup`)

const isOfSqlite = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
