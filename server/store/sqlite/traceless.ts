import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StoreFault } from './store-file.ts'

/** A database that is read so that its folder stays as it was found. */
export interface Traceless {
  /** What is to be opened, for reading alone. */
  readonly path: string | URL
  /** Throws `StoreFault` when what was read may be torn, since a server has written meanwhile. */
  verify(): void
  /** Removes what was made elsewhere; the connections must have ended. */
  release(): void
}

/**
 * Chooses how to read a database. While a server has it open, or has died with it, log and index stand beside it and
 * are used as they are. SQLite would make them anew where they are missing, and leave them: a file without a log is
 * read as one that does not change, which is checked afterwards, and one with a log is copied with it. Neither
 * needs a folder that can be written.
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

/** A database without a log that is read without locks, as one that nobody changes. */
export function immutable(file: string): URL {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url
}

const exists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Differs as soon as a file was written or replaced. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`
}
