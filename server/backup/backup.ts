import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { AreaModule } from '../area.ts'
import { inspectOperations } from '../operations/inspect.ts'
import { checkDataFolder } from '../data-folder.ts'
import { storeCollections, storeFile } from '../platform-store.ts'
import { openSqliteSnapshot } from '../store/sqlite/snapshot.ts'
import { sqliteCode, sqliteCodes } from '../store/sqlite/errors.ts'
import { checkStoreFile, explained, systemCode } from '../store/sqlite/store-file.ts'
import { enterDataFolder } from './folder-hold.ts'
import { digestTables } from './digest.ts'
import { renameDurably, syncFile, syncFolder } from '../durable-files.ts'
import { damagesOf } from './examine.ts'
import { backupFormat, rowsIn, schemaOf, writeManifest, type BackupManifest } from './manifest.ts'

/** The source and the target of a backup. */
export interface BackupRequest {
  readonly dataDir: string
  readonly areas: readonly AreaModule[]
  readonly to: string
  /** Whether an existing file of that name is replaced once the backup is complete. */
  readonly isReplacing: boolean
  /** The version of this program. */
  readonly version: string
  /** The current time in milliseconds since 1970. */
  readonly now: number
  readonly print: (line: string) => void
}

/**
 * Writes the content of a data folder's store at one moment into one file, also while servers write, and returns the
 * manifest of the backup. The file is complete and on the disk, or does not exist. Blocks the thread. Throws an error
 * that names the obstacle.
 */
export async function backUp(request: BackupRequest): Promise<BackupManifest> {
  const { dataDir, print, to } = request
  const store = storeFile(dataDir)
  checkDataFolder(dataDir)
  checkStore(store)
  checkTarget(request)
  const started = performance.now()
  const hold = enterDataFolder(dataDir)
  const partial = join(dirname(to), `.${basename(to)}.${randomUUID()}.partial`)
  try {
    const manifest = copyStore(store, partial, request)
    syncFile(partial)
    const notes = await notesOn(partial, request.areas)
    give(partial, request)
    print(summaryOf(to, manifest, performance.now() - started))
    for (const note of [...notes, ...leftOver(to)]) print(note)
    return manifest
  } catch (error) {
    throw unwritable(to, error)
  } finally {
    hold.release()
    for (const part of [partial, `${partial}-journal`]) rmSync(part, { force: true })
  }
}

/**
 * Throws for a store that a server would refuse, because parts that are missing in a backup would be noticed too late.
 */
function checkStore(store: string): void {
  if (!existsSync(store)) throw new Error(`there is no store: ${store} does not exist; "ninefold serve" makes it`)
  try {
    checkStoreFile(store)
  } catch (error) {
    throw explained(store, error)
  }
}

function checkTarget({ dataDir, isReplacing, to }: BackupRequest): void {
  const folder = dirname(to)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`there is no folder ${folder}; make it`)
  const isOwn = /^(?:ninefold\.(?:sqlite|lock)|bootstrap-token)/.test(basename(to))
  if (isOwn && realpathSync(folder) === realpathSync(dataDir)) {
    throw new Error(`${to} is a name that servers use in the data folder; take another one`)
  }
  const present = statSync(to, { throwIfNoEntry: false })
  if (present === undefined) return
  if (!present.isFile()) throw new Error(`${to} is no file that a backup could replace; take another name`)
  if (!isReplacing) throw alreadyThere(to)
}

const isFull = (error: unknown): boolean => ((sqliteCode(error) ?? 0) & 0xff) === sqliteCodes.full

const closed = 'this user may not write to its folder; grant that, or name a file elsewhere'

/** The obstacle and its remedy, keyed by the error codes of the system. */
const targetFaults: Readonly<Record<string, string>> = {
  EACCES: closed,
  EPERM: closed,
  EROFS: 'it is to lie on a file system that cannot be written; name a file elsewhere',
  ENOSPC: 'the disk is full; make room, or name a file elsewhere',
}

/** Returns an error of writing a backup with the name of the file; returns any other error unchanged. */
function unwritable(to: string, error: unknown): unknown {
  const fault = targetFaults[isFull(error) ? 'ENOSPC' : systemCode(error)]
  return fault === undefined ? error : new Error(`${to} cannot be written: ${fault}`, { cause: error })
}

const alreadyThere = (to: string): Error => new Error(`${to} exists; take another name, or say --replace`)

/**
 * Copies a store, adds the manifest to the copy, and returns the manifest. `VACUUM INTO` reads one snapshot: writers
 * continue, and the growth of the log is reclaimed afterwards. The backup functions of SQLite would begin again after
 * each write of another process.
 */
function copyStore(store: string, partial: string, { now, version }: BackupRequest): BackupManifest {
  closeSync(openSync(partial, 'wx', 0o600))
  vacuumInto(store, partial)
  const copy = new DatabaseSync(partial)
  try {
    copy.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF')
    const [damage] = damagesOf(copy)
    const schema = schemaOf(copy)
    if (damage !== undefined) throw new Error(`${store} is damaged (${damage}); restore an earlier backup`)
    if (schema === undefined) throw new Error(`${store} is no store of ninefold; name the right data folder`)
    const tables = digestTables(copy, () => true)
    const manifest = { format: backupFormat, version, schema, time: formatMillis(now), tables }
    writeManifest(copy, manifest)
    return manifest
  } finally {
    copy.close()
  }
}

function opened(store: string): DatabaseSync {
  try {
    return new DatabaseSync(store, { readOnly: true, timeout: 5000 })
  } catch (error) {
    throw explained(store, error)
  }
}

function vacuumInto(store: string, partial: string): void {
  const source = opened(store)
  try {
    // The copy of a store of an earlier version gets the setting here. Setting an equal mode again would write to the
    // file, which is open for reading only.
    if (Number(source.prepare('PRAGMA auto_vacuum').get()?.['auto_vacuum']) === 0) {
      source.exec('PRAGMA auto_vacuum = INCREMENTAL')
    }
    source.prepare('VACUUM INTO ?').run(partial)
  } catch (error) {
    throw isFull(error) ? error : explained(store, error)
  } finally {
    source.close()
  }
}

/** Returns the notes of the doctor's quick checks on a copy; the backup is valid with or without notes. */
async function notesOn(partial: string, areas: readonly AreaModule[]): Promise<readonly string[]> {
  const snapshot = await openSqliteSnapshot({ file: partial, collections: storeCollections(areas) }).catch(
    () => undefined,
  )
  if (snapshot === undefined) return ['the store is of another version of this program; only its file was checked']
  try {
    const operations = areas.map(({ domain, operations }) => ({ area: domain.name, operations }))
    for await (const { id, message, resourceType } of inspectOperations(snapshot, operations)) {
      return [`something is wrong in it: ${resourceType} ${id}: ${message}; "ninefold doctor" tells all`]
    }
    return []
  } finally {
    await snapshot.close()
  }
}

/**
 * Gives a finished file its name. Without `isReplacing`, one of two concurrent backups with one name succeeds, if the
 * file system has hard links.
 */
function give(partial: string, { isReplacing, to }: BackupRequest): void {
  chmodSync(partial, 0o600)
  if (isReplacing) return renameDurably(partial, to)
  try {
    linkSync(partial, to)
    rmSync(partial)
    syncFolder(dirname(to))
  } catch (error) {
    if (existsSync(to)) throw alreadyThere(to)
    if (!isWithoutLinks(error)) throw error
    renameDurably(partial, to)
  }
}

const isWithoutLinks = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(String(error.code))

function leftOver(to: string): readonly string[] {
  const isPartial = (name: string): boolean => name.startsWith(`.${basename(to)}.`) && name.endsWith('.partial')
  return readdirSync(dirname(to))
    .filter(isPartial)
    .map(name => `${join(dirname(to), name)} was left by a backup that was cut off; delete it unless one is running`)
}

function summaryOf(to: string, manifest: BackupManifest, milliseconds: number): string {
  const { schema, tables, version } = manifest
  const size = `${(statSync(to).size / 2 ** 20).toFixed(1)} MiB`
  const rows = `${rowsIn(manifest)} rows of ${Object.keys(tables).length} tables`
  return `${to}: ${size}, ${rows}, version ${version} (schema ${schema}), in ${(milliseconds / 1000).toFixed(1)} s`
}
