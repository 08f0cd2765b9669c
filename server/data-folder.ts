import { mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { systemCode } from './store/sqlite/store-file.ts'

/** The file by whose lock servers and restores keep each other out. */
export const lockName = 'ninefold.lock'

const advice = 'name another data folder (data_dir, NINEFOLD_DATA_DIR)'

/** By the codes of the system. */
const faults: Readonly<Record<string, string>> = {
  EACCES: `this user may not write where it is to stand; grant that, or ${advice}`,
  EPERM: `this user may not write where it is to stand; grant that, or ${advice}`,
  EROFS: `it is to stand on a file system that cannot be written; ${advice}`,
  ENOSPC: `the disk is full; make room, or ${advice}`,
  ENOTDIR: `a part of its path is a file; ${advice}`,
}

/** Throws when a file stands where the data folder or one above it is to be; it need not exist. */
export function checkDataFolder(dataDir: string): void {
  try {
    if (statSync(dataDir).isDirectory()) return
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw unusable(dataDir, error)
  }
  throw new Error(`the data folder ${dataDir} is a file; ${advice}`)
}

/** Makes the data folder, open to its owner alone, when there is none; answers the first folder made. Throws with what is in the way, and what to do. */
export function makeDataFolder(dataDir: string): string | undefined {
  checkDataFolder(dataDir)
  try {
    return mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

/** Takes a data folder that was just made away again, with those above it from `made` on; one that is used stays. */
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
