import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { lockName } from '../data-folder.ts'
import { isBusy } from '../store/sqlite/errors.ts'
import { explained, remakeAdvice } from '../store/sqlite/store-file.ts'
import { pendingRestore, settleRestore } from '../pending-restore.ts'

/** Keeps others from replacing, or from using, a data folder; gone with the process at the latest. */
export interface FolderHold {
  /** Once is enough. */
  release(): void
}

/** How long a start waits for a restore that is putting the store in its place. */
const waitMs = 5000

/**
 * Holds a data folder as one of those that use its store: any number may, but nothing is restored meanwhile. A restore
 * that was cut off is brought to its end first. Throws while a restore is under way.
 */
export function enterDataFolder(dataDir: string): FolderHold {
  for (;;) {
    if (pendingRestore(dataDir) !== undefined) settleAlone(dataDir)
    const hold = tryLock(dataDir, 'shared', waitMs)
    if (hold === undefined) {
      throw new Error(`a restore into ${dataDir} is under way; wait for its end, and start again`)
    }
    if (pendingRestore(dataDir) === undefined) return hold
    hold.release()
  }
}

/** Holds a data folder alone; undefined while anybody else uses it. */
export const claimDataFolder = (dataDir: string): FolderHold | undefined => tryLock(dataDir, 'exclusive', 0)

/** Somebody who has the folder to himself brings the restore to its end anyway. */
function settleAlone(dataDir: string): void {
  const hold = tryLock(dataDir, 'exclusive', waitMs)
  if (hold === undefined) return
  try {
    settleRestore(dataDir)
  } finally {
    hold.release()
  }
}

/**
 * Node.js locks no files, but SQLite does: with locks that the system drops when the process ends, however it does. The
 * file stays empty and is never replaced, so that all lock the same one.
 */
function tryLock(dataDir: string, kind: 'shared' | 'exclusive', timeout: number): FolderHold | undefined {
  const file = join(dataDir, lockName)
  try {
    return lockFile(file, kind, timeout)
  } catch (error) {
    throw explained(file, error, remakeAdvice)
  }
}

function lockFile(file: string, kind: 'shared' | 'exclusive', timeout: number): FolderHold | undefined {
  closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file, { timeout })
  try {
    database.exec(kind === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT count(*) FROM sqlite_schema')
    return { release: () => void (database.isOpen && database.close()) }
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}
