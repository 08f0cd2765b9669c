import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/** Returns once the content of a file is on the disk. */
export function syncFile(file: string): void {
  synced(file, 'r+')
}

/** Returns once the names in a folder are on the disk. */
export function syncFolder(folder: string): void {
  // Windows cannot open folders, and stores the names with the files.
  if (process.platform !== 'win32') synced(folder, 'r')
}

/**
 * Renames a file within its folder, replacing a file of that name. After the return, the new name survives a loss of
 * power.
 */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

function synced(path: string, flags: string): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
