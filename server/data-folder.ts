import { mkdirSync, statSync } from 'node:fs'
import { systemCode } from './store/sqlite/store-file.ts'

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

/** Makes the data folder, open to its owner alone, when there is none. Throws with what is in the way, and what to do. */
export function makeDataFolder(dataDir: string): void {
  checkDataFolder(dataDir)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

function unusable(dataDir: string, error: unknown): Error {
  const cause = error instanceof Error ? error.message : String(error)
  const fault = faults[systemCode(error)] ?? `${cause}; ${advice}`
  return new Error(`the data folder ${dataDir} cannot be used: ${fault}`, { cause: error })
}
