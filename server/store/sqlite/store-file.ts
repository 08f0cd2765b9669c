import { closeSync, openSync, readSync, statSync, type Stats } from 'node:fs'
import { sqliteCode } from './errors.ts'
import { logDamage } from './log-file.ts'

/** What keeps a file from being a store. The message goes behind the name of the file: what is wrong; what to do. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
}

/** What to do about a file that holds no store. */
export const restoreAdvice =
  'restore the data folder from a backup, or name the right one (data_dir, NINEFOLD_DATA_DIR)'

const closed = 'is closed to this user; grant the rights to the file and its folder, or start as their owner'

/** What to do about a file beside the store that holds nothing of it. */
export const remakeAdvice = 'end the servers on the folder and delete it: the next start makes it anew'

/** By the primary codes of SQLite (sqlite.org/rescode.html) and those of the system. */
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

/** An error that the use of a file raised, told with its name, what is wrong and what to do: `advice` where the file is of no use. */
export function explained(file: string, error: unknown, advice = restoreAdvice): Error {
  return new Error(`${file} ${faultOf(error, advice)}`, { cause: error })
}

function faultOf(error: unknown, advice: string): string {
  if (error instanceof StoreFault) return error.message
  const code = sqliteCode(error)
  const known = faultsBy(advice)[code === undefined ? systemCode(error) : code & 0xff]
  return known ?? `cannot be used: ${error instanceof Error ? error.message : String(error)}`
}

/** `EACCES` and the like; empty for an error that the system did not raise. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** What stands at a path: `complete` says everything, `logged` is completed by its log. */
type Standing = 'absent' | 'empty' | 'complete' | 'logged'

/**
 * Throws `StoreFault` when what stands at a path cannot be, or become, a store; absent and empty files may. SQLite says
 * less of these, and deletes a log whose file is empty.
 */
export function checkStoreFile(file: string): Standing {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isDirectory()) {
    throw new StoreFault(`is a folder where the file of the store must be; ${restoreAdvice}`)
  }
  if (stats && !stats.isFile()) throw new StoreFault(`is no plain file; ${restoreAdvice}`)
  // A log completes what stands in the file: only SQLite can say what both make.
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

/** A server would begin with what is left of a log, and write over the rest. */
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

/** The header of a database (sqlite.org/fileformat2.html §1.3). */
function checkHeader(file: string, { size }: Stats): void {
  const header = firstBytes(file, headerSize)
  const start = header.subarray(0, magic.length)
  if (!start.equals(magic.subarray(0, start.length))) throw new StoreFault(faultsBy(restoreAdvice)[26])
  const expected = header.length < headerSize ? headerSize : sizeInHeader(header)
  if (size < expected) {
    throw new StoreFault(`is cut off: ${size} bytes of ${expected} are there; ${restoreAdvice}`)
  }
}

/** 0 when the number of pages is not kept: it is while the counters of changes agree. */
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
