import { chmodSync, constants, copyFileSync, existsSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { AreaModule } from '../area.ts'
import { makeDataFolder, unmakeDataFolder } from '../data-folder.ts'
import { inspectStore } from '../doctor/inspect-store.ts'
import { owners } from '../operations/owners.ts'
import { openStoreSnapshot, storeCollections, storeFile } from '../platform-store.ts'
import { openSqliteSnapshot } from '../store/sqlite/snapshot.ts'
import { claimDataFolder, enterDataFolder } from './folder-hold.ts'
import { syncFile } from '../durable-files.ts'
import { checkIsAlone, examineBackup } from './examine.ts'
import { manifestTable, rowsIn, type BackupManifest } from './manifest.ts'
import { commitRestore, discard, settleRestore, stagedStore } from '../pending-restore.ts'

/** The source and the target of a restore. */
export interface RestoreRequest {
  readonly dataDir: string
  readonly areas: readonly AreaModule[]
  readonly from: string
  /** Whether an existing store is replaced; otherwise `restore` refuses a folder with a store. */
  readonly isReplacing: boolean
  /** Whether the replaced store is deleted instead of moved aside. */
  readonly isDiscarding: boolean
  /** The current time in milliseconds since 1970. */
  readonly now: number
  readonly print: (line: string) => void
}

/**
 * Makes a backup the store of an unused data folder. After an interruption at any point, the next start finds the old
 * store or the new store. Throws an error that names the obstacle; an error before the final renames leaves the old
 * store unchanged.
 */
export function restore(request: RestoreRequest): void {
  const { dataDir, from, isDiscarding, now, print } = request
  const made = makeDataFolder(dataDir)
  const hold = claimDataFolder(dataDir)
  if (hold === undefined) throw new Error(`${dataDir} is in use; end the servers and backups that run on it`)
  try {
    settleRestore(dataDir)
    const store = storeFile(dataDir)
    if (existsSync(store) && !request.isReplacing) {
      throw new Error(`${store} exists; say --replace to put it aside, or name another data folder`)
    }
    const manifest = stage(request)
    commitRestore(dataDir, stagedStore(dataDir), formatMillis(now).replaceAll(/\D/g, ''))
    const aside = settleRestore(dataDir)
    print(`${store}: ${told(from, manifest)}`)
    if (aside === undefined) return
    if (isDiscarding) discard(aside)
    else print(`what was there before lies in ${aside}`)
  } catch (error) {
    if (made !== undefined) unmakeDataFolder(dataDir, made)
    throw error
  } finally {
    hold.release()
  }
}

/**
 * Makes the files of areas that the rows of a restored store need, because a backup contains the store alone. Skips a
 * store that this version cannot read yet: the next start of a server brings the store up to date and makes the files.
 */
export async function remakeFiles({
  areas,
  dataDir,
  print,
}: Pick<RestoreRequest, 'areas' | 'dataDir' | 'print'>): Promise<void> {
  const hold = enterDataFolder(dataDir)
  try {
    const snapshot = await openStoreSnapshot({ dataDir }, areas).catch(() => undefined)
    if (!snapshot) return
    try {
      const place = { dataDir, hasStore: true }
      const log = { warn: (_: object, message: string): void => print(message) }
      for (const { host } of areas) await host?.(place).remake?.(snapshot, log)
    } finally {
      await snapshot.close()
    }
  } finally {
    hold.release()
  }
}

/**
 * Copies a backup, checks the copy, makes the copy a store, and returns the manifest. The copy is checked instead of
 * the backup, because the copy will be served.
 */
function stage({ areas, dataDir, from }: RestoreRequest): BackupManifest {
  const staged = stagedStore(dataDir)
  checkIsElsewhere(from, staged)
  removeStaged(staged)
  try {
    checkIsAlone(from)
    copyFileSync(from, staged, constants.COPYFILE_FICLONE)
    chmodSync(staged, 0o600)
    const manifest = examineBackup(staged, areas, from)
    makeStore(staged)
    syncFile(staged)
    return manifest
  } catch (error) {
    removeStaged(staged)
    throw error
  }
}

/**
 * Throws for a backup in the data folder whose name begins with the name of the staged copy, because a restore deletes
 * such files.
 */
function checkIsElsewhere(from: string, staged: string): void {
  const folder = realpathSync(dirname(staged))
  const isThere = existsSync(from) && dirname(realpathSync(from)) === folder
  if (!isThere || !basename(realpathSync(from)).startsWith(basename(staged))) return
  throw new Error(`${from} has a name that restores use themselves; move it out of ${folder} first`)
}

const removeStaged = (staged: string): void => {
  for (const part of [staged, `${staged}-journal`, `${staged}-wal`, `${staged}-shm`]) rmSync(part, { force: true })
}

/**
 * Makes a copy of a backup a store: deletes the manifest, and the rows of the processes of the backup's time, so that
 * their work is taken over at once.
 */
function makeStore(staged: string): void {
  const database = new DatabaseSync(staged)
  try {
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF')
    database.exec(`DROP TABLE ${manifestTable}`)
    const isThere = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(owners.name) !== undefined
    if (isThere) database.exec(`DELETE FROM ${owners.name}`)
  } finally {
    database.close()
  }
}

/**
 * Checks a backup without restoring it, and its documents as the doctor does. Prints the findings and returns their
 * number. Throws if the file is no backup, is damaged, or cannot be restored by this version.
 */
export async function verifyBackup(
  from: string,
  areas: readonly AreaModule[],
  print: (line: string) => void,
): Promise<number> {
  const manifest = examineBackup(from, areas)
  const snapshot = await openSqliteSnapshot({ file: from, collections: storeCollections(areas) }).catch(() => undefined)
  let findings = 0
  try {
    if (snapshot !== undefined) {
      for await (const { id, message, resourceType } of inspectStore(snapshot, areas)) {
        findings += 1
        print(`${resourceType} ${id}: ${message}`)
      }
    }
  } finally {
    await snapshot?.close()
  }
  const checked = snapshot === undefined ? '; it is of an older version, so its documents were not looked into' : ''
  print(`${findings === 0 ? 'can be restored' : `findings: ${findings}`}: ${told(from, manifest)}${checked}`)
  return findings
}

const told = (from: string, manifest: BackupManifest): string =>
  `${rowsIn(manifest)} rows of ${from}, made ${manifest.time} by version ${manifest.version}`
