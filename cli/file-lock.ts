import { closeSync, openSync } from 'node:fs'
import { CommandError } from './exit-codes.ts'

/**
 * Takes the lock of a file that is empty, or made by the call, and returns a function that releases the lock; returns
 * undefined if another holds it. Node.js has no file locks, but SQLite has file locks, and the operating system drops
 * them at the end of the process, even after a crash. The file stays empty. Throws
 * `CommandError` for a file that cannot be locked, such as on a file system without locks.
 */
export async function takeLock(path: string): Promise<(() => void) | undefined> {
  closeSync(openSync(path, 'a', 0o600))
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // A journal on the disk would be left beside the file by a killed process.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return () => database.close()
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw new CommandError(`${path} cannot be locked: ${error}`)
  }
}

/** True for the error SQLITE_BUSY and its extended codes. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 5
