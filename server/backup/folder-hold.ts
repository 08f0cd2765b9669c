import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { lockName } from '../data-folder.ts'
import { isBusy } from '../store/sqlite/errors.ts'
import { explained, remakeAdvice } from '../store/sqlite/store-file.ts'
import { pendingRestore, settleRestore } from '../pending-restore.ts'

/** A shared or exclusive lock on a data folder. The lock ends with the process at the latest. */
export interface FolderHold {
  /** Releases the lock; a second call has no effect. */
  release(): void
}

/** The time in milliseconds for which a start waits for a restore in progress. */
const waitMs = 5000

/**
 * Takes a shared lock on a data folder: other processes may use its store too, but none can restore a backup. An
 * interrupted restore is finished first. Throws while a restore is in progress.
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

/** Takes an exclusive lock on a data folder; returns undefined while any process uses the folder. */
export const claimDataFolder = (dataDir: string): FolderHold | undefined => tryLock(dataDir, 'exclusive', 0)

/**
 * Finishes a pending restore under an exclusive lock. Does nothing if another process has a lock: the process with an
 * exclusive lock finishes the restore.
 */
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
 * Takes a lock on a data folder; returns undefined if other processes prevent the lock for `timeout` milliseconds.
 * Node.js has no file locks, but SQLite has file locks, and the operating system releases them at every end of a
 * process. The file stays empty and is never replaced, so that all processes lock the same file.
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
