import { mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { systemCode } from './store/sqlite/store-file.ts'

/** The name of the file whose lock excludes servers and restores from each other. */
export const lockName = 'ninefold.lock'

const advice = 'name another data folder (data_dir, NINEFOLD_DATA_DIR)'

/** The obstacle and its remedy, keyed by the error codes of the system. */
const faults: Readonly<Record<string, string>> = {
  EACCES: `this user may not write where it is to stand; grant that, or ${advice}`,
  EPERM: `this user may not write where it is to stand; grant that, or ${advice}`,
  EROFS: `it is to stand on a file system that cannot be written; ${advice}`,
  ENOSPC: `the disk is full; make room, or ${advice}`,
  ENOTDIR: `a part of its path is a file; ${advice}`,
}

/**
 * Throws if a file is at the path of the data folder or above it, or if this user cannot read the path. The folder need
 * not exist.
 */
export function checkDataFolder(dataDir: string): void {
  try {
    if (statSync(dataDir).isDirectory()) return
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw unusable(dataDir, error)
  }
  throw new Error(`the data folder ${dataDir} is a file; ${advice}`)
}

/**
 * Creates the data folder, accessible to its owner only, if the folder does not exist. Returns the first created
 * folder, or undefined if the data folder existed. Throws an error with the obstacle and its remedy.
 */
export function makeDataFolder(dataDir: string): string | undefined {
  checkDataFolder(dataDir)
  try {
    return mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

/**
 * Removes a newly created data folder, and the folders above it from `made` on, unless the folder has files other than
 * its lock.
 */
export function unmakeDataFolder(dataDir: string, made: string): void {
  const names = readdirSync(dataDir)
  if (names.some(name => !name.startsWith(lockName))) return
  for (const name of names) rmSync(join(dataDir, name), { force: true })
  try {
    for (let folder = resolve(dataDir); folder.startsWith(resolve(made)); folder = dirname(folder)) rmdirSync(folder)
  } catch (error) {
    if (systemCode(error) !== 'ENOTEMPTY') throw error
  }
}

function unusable(dataDir: string, error: unknown): Error {
  const cause = error instanceof Error ? error.message : String(error)
  const fault = faults[systemCode(error)] ?? `${cause}; ${advice}`
  return new Error(`the data folder ${dataDir} cannot be used: ${fault}`, { cause: error })
}
