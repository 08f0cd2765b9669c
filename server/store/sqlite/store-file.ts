import { closeSync, openSync, readSync, statSync, type Stats } from 'node:fs'
import { sqliteCode } from './errors.ts'
import { logDamage } from './log-file.ts'

/**
 * The error of a file that cannot be a store. The message continues the name of the file: the fault, then the remedy.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
}

/** The remedy for a file that holds no store. */
export const restoreAdvice =
  'restore the data folder from a backup, or name the right one (data_dir, NINEFOLD_DATA_DIR)'

const closed = 'is closed to this user; grant the rights to the file and its folder, or start as their owner'

/** The remedy for an unusable file beside the store whose content need not last. */
export const remakeAdvice = 'end the servers on the folder and delete it: the next start makes it anew'

/**
 * Returns the faults of a file, keyed by the primary codes of SQLite (sqlite.org/rescode.html) and by the codes of the
 * system; `advice` is the remedy for an unusable file.
 */
const faultsBy = (advice: string): Readonly<Record<string | number, string>> => ({
  5: 'is locked by another program; end that and try again',
  8: 'cannot be written; grant this user the rights to the file and its folder, or start as their owner',
  10: `cannot be read (disk I/O error); look after the disk, or ${advice}`,
  11: `is damaged (its content is not what SQLite writes); ${advice}`,
  13: 'cannot grow, for the disk is full; make room and try again',
  14: 'cannot be opened; grant this user the rights to the file and its folder, or start as their owner',
  26: `is no database of SQLite, or an encrypted one; ${advice}`,
  EACCES: closed,
  EPERM: closed,
  EROFS: 'lies on a file system that cannot be written; make that writable, or name another data folder',
  EISDIR: `is a folder where a file must be; ${advice}`,
  ENOSPC: 'cannot grow, for the disk is full; make room and try again',
})

/** Returns an error of a file with its name, the fault and the remedy: `advice` if the file is unusable. */
export function explained(file: string, error: unknown, advice = restoreAdvice): Error {
  return new Error(`${file} ${faultOf(error, advice)}`, { cause: error })
}

function faultOf(error: unknown, advice: string): string {
  if (error instanceof StoreFault) return error.message
  const code = sqliteCode(error)
  const known = faultsBy(advice)[code === undefined ? systemCode(error) : code & 0xff]
  return known ?? `cannot be used: ${error instanceof Error ? error.message : String(error)}`
}

/** Returns a system code such as `EACCES`; empty for an error of another origin. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** The state of a file: `complete` in itself, or `logged`, completed by its log. */
type Standing = 'absent' | 'empty' | 'complete' | 'logged'

/**
 * Returns the state of the file at a path. Throws `StoreFault` if the file neither is nor can become a store; absent
 * and empty files can. SQLite reports less about faulty files, and deletes a log whose file is empty.
 */
export function checkStoreFile(file: string): Standing {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isDirectory()) {
    throw new StoreFault(`is a folder where the file of the store must be; ${restoreAdvice}`)
  }
  if (stats && !stats.isFile()) throw new StoreFault(`is no plain file; ${restoreAdvice}`)
  // A log completes the file, so only SQLite can read both.
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (!stats || stats.size === 0) {
    if (!hasLog) return stats ? 'empty' : 'absent'
    throw new StoreFault(`is ${stats ? 'empty' : 'gone'}, but its log ${file}-wal is not; ${restoreAdvice}`)
  }
  if (hasLog) {
    checkLog(`${file}-wal`)
    return 'logged'
  }
  checkHeader(file, stats)
  return 'complete'
}

/**
 * Throws `StoreFault` for a damaged write-ahead log: a server would replay the readable part and overwrite the rest.
 */
function checkLog(log: string): void {
  const damage = logDamage(log)
  if (damage === undefined) return
  const lost = damage.lost === undefined ? 'all of it' : `at least ${damage.lost} transactions behind that`
  throw new StoreFault(
    `has a damaged log: ${log} cannot be read from byte ${damage.offset} on, and ${lost} would be lost; ${restoreAdvice}`,
  )
}

const magic = Buffer.from('SQLite format 3\0', 'latin1')
const headerSize = 100

/**
 * Throws `StoreFault` for a file without the header of a database (sqlite.org/fileformat2.html §1.3), and for a file
 * that is shorter than its header says.
 */
function checkHeader(file: string, { size }: Stats): void {
  const header = firstBytes(file, headerSize)
  const start = header.subarray(0, magic.length)
  if (!start.equals(magic.subarray(0, start.length))) throw new StoreFault(faultsBy(restoreAdvice)[26])
  const expected = header.length < headerSize ? headerSize : sizeInHeader(header)
  if (size < expected) {
    throw new StoreFault(`is cut off: ${size} bytes of ${expected} are there; ${restoreAdvice}`)
  }
}

/**
 * Returns the size of the database in bytes by its header; 0 if the change counters show that the header has no current
 * size.
 */
function sizeInHeader(header: Buffer): number {
  const pageSize = header.readUInt16BE(16)
  const isKept = header.readUInt32BE(24) === header.readUInt32BE(92)
  return isKept ? header.readUInt32BE(28) * (pageSize === 1 ? 65_536 : pageSize) : 0
}

function firstBytes(file: string, count: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(count)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, count, 0))
  } finally {
    closeSync(descriptor)
  }
}
