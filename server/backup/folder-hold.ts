import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { lockName } from '../data-folder.ts'
import { isBusy } from '../store/sqlite/errors.ts'
import { explained, remakeAdvice } from '../store/sqlite/store-file.ts'
import { pendingRestore, settleRestore } from '../pending-restore.ts'

/** A lock on a data folder against replacement or use; it ends with the process at the latest. */
export interface FolderHold {
  /** Releases the lock; a second call has no effect. */
  release(): void
}

/** The time for which a start waits for a restore in progress. */
const waitMs = 5000

/**
 * Shares a data folder with other users of its store; nothing is restored meanwhile. An interrupted restore is finished
 * first. Throws while a restore is in progress.
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

/** Locks a data folder exclusively; returns undefined while any process uses it. */
export const claimDataFolder = (dataDir: string): FolderHold | undefined => tryLock(dataDir, 'exclusive', 0)

/** Another process with an exclusive lock finishes the restore anyway. */
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
 * Node.js has no file locks, but SQLite has: the system releases them at every end of a process. The file stays empty
 * and is never replaced, so that all processes lock the same file.
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
