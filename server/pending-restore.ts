import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { storeFile } from './platform-store.ts'
import { renameDurably, syncFolder } from './durable-files.ts'

/** The files that SQLite keeps beside a database and reads with it. */
const companions = ['-wal', '-journal'] as const

const names = (dataDir: string) => {
  const store = storeFile(dataDir)
  return { store, restored: `${store}.restored-`, before: `${store}.before-` }
}

/**
 * Returns the stamp in the name of a restored store that is not in its place yet; undefined without such a store. The
 * rename that creates the restored store commits the restore: before the rename the old store is valid, after the
 * rename the new store.
 */
export function pendingRestore(dataDir: string): string | undefined {
  const prefix = basename(names(dataDir).restored)
  const name = existsSync(dataDir) ? readdirSync(dataDir).find(entry => entry.startsWith(prefix)) : undefined
  return name?.slice(prefix.length)
}

/** Returns the file of a pending restore. */
export const restoredStore = (dataDir: string, stamp: string): string => names(dataDir).restored + stamp

/** Makes a finished file the pending restore of a data folder; `settleRestore` then moves the file to its place. */
export function commitRestore(dataDir: string, finished: string, stamp: string): void {
  renameDurably(finished, names(dataDir).restored + stamp)
}

/**
 * Moves a restored store to its place, and the old store with its log aside. Returns the place of the old store;
 * undefined without a pending restore or an old store. The caller must hold the folder exclusively. After an
 * interruption at any point, `settleRestore` can run again.
 */
export function settleRestore(dataDir: string): string | undefined {
  const stamp = pendingRestore(dataDir)
  if (stamp === undefined) return undefined
  const { store, restored, before } = names(dataDir)
  const aside = before + stamp
  // The log is moved first: SQLite would replay a log beside the new file into that file.
  for (const companion of companions) {
    if (existsSync(store + companion)) renameSync(store + companion, aside + companion)
  }
  rmSync(`${store}-shm`, { force: true })
  if (existsSync(store)) renameSync(store, aside)
  syncFolder(dataDir)
  renameDurably(restored + stamp, store)
  return existsSync(aside) ? aside : undefined
}

/** Deletes a store that was moved aside. */
export function discard(aside: string): void {
  for (const part of [...companions.map(companion => aside + companion), aside]) rmSync(part, { force: true })
}

/** Returns the file in which a store is prepared for a restore; its content may be lost. */
export const stagedStore = (dataDir: string): string => join(dataDir, 'ninefold.sqlite.incoming')
