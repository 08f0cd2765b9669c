import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StoreFault } from './store-file.ts'

/** A database that is read without any change to its folder. */
export interface Traceless {
  /** The URL or path to open read-only. */
  readonly path: string | URL
  /** Throws `StoreFault` if the read data may be inconsistent, because a server has written during the reads. */
  verify(): void
  /** Removes temporary copies; the connections must be closed. */
  release(): void
}

/**
 * Returns the way to read a database. While a server uses the database, or after the server's crash, log and index lie
 * beside the file and are used. SQLite would create a missing log or index and leave both in the folder. A file without
 * a log is therefore read as immutable, and `verify` checks that the file has not changed; a file with a log but
 * without an index is copied. Neither way needs a writable folder.
 */
export function traceless(file: string): Traceless {
  const stamps = [stampOf(file), stampOf(`${file}-wal`)]
  const wasChanged = (): boolean => stampOf(file) !== stamps[0]
  const isInUse = exists(`${file}-journal`) || (exists(`${file}-wal`) && exists(`${file}-shm`))
  if (isInUse) return { path: file, verify: nothing, release: nothing }
  if (sizeOf(`${file}-wal`) === 0)
    return { path: immutable(file), verify: () => refuse(wasChanged()), release: nothing }
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-doctor-'))
  const release = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, basename(file))
    for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix, constants.COPYFILE_FICLONE)
    refuse(wasChanged() || stampOf(`${file}-wal`) !== stamps[1])
    return { path: copy, verify: nothing, release }
  } catch (error) {
    release()
    throw error
  }
}

const nothing = (): void => {}

function refuse(wasChanged: boolean): void {
  if (!wasChanged) return
  throw new StoreFault('was changed by a server while it was read, so that what was told may be wrong; check it again')
}

/** Returns the URL of a database without a log, which is read without locks as an immutable file. */
export function immutable(file: string): URL {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url
}

const exists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Returns a mark that differs once a file was written or replaced. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`
}
