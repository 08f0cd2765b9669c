import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { storeFile } from './platform-store.ts'
import { renameDurably, syncFolder } from './durable-files.ts'

/** What SQLite keeps beside a file and reads with it. */
const companions = ['-wal', '-journal'] as const

const names = (dataDir: string) => {
  const store = storeFile(dataDir)
  return { store, restored: `${store}.restored-`, before: `${store}.before-` }
}

/**
 * A store that was restored and is not in its place yet, by the stamp in its name. The rename that makes it is the moment
 * of the restore: before it the old store counts, after it the new one.
 */
export function pendingRestore(dataDir: string): string | undefined {
  const prefix = basename(names(dataDir).restored)
  const name = existsSync(dataDir) ? readdirSync(dataDir).find(entry => entry.startsWith(prefix)) : undefined
  return name?.slice(prefix.length)
}

/** The file of a pending restore. */
export const restoredStore = (dataDir: string, stamp: string): string => names(dataDir).restored + stamp

/** Makes a finished file the store that is to stand in a data folder; `settleRestore` does the rest. */
export function commitRestore(dataDir: string, finished: string, stamp: string): void {
  renameDurably(finished, names(dataDir).restored + stamp)
}

/**
 * Puts a restored store in its place, and the old one with its log aside; answers where that lies, if there was one. To
 * be run by whoever has the folder to himself; cut off anywhere, it is run again from the start.
 */
export function settleRestore(dataDir: string): string | undefined {
  const stamp = pendingRestore(dataDir)
  if (stamp === undefined) return undefined
  const { store, restored, before } = names(dataDir)
  const aside = before + stamp
  // The log goes first: were it left beside the new file, SQLite would replay it into that.
  for (const companion of companions) {
    if (existsSync(store + companion)) renameSync(store + companion, aside + companion)
  }
  rmSync(`${store}-shm`, { force: true })
  if (existsSync(store)) renameSync(store, aside)
  syncFolder(dataDir)
  renameDurably(restored + stamp, store)
  return existsSync(aside) ? aside : undefined
}

/** Deletes a store that was put aside. */
export function discard(aside: string): void {
  for (const part of [...companions.map(companion => aside + companion), aside]) rmSync(part, { force: true })
}

/** Where a store is made ready to be restored; nobody counts on what lies there. */
export const stagedStore = (dataDir: string): string => join(dataDir, 'ninefold.sqlite.incoming')
