import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/** Returns once what was written to a file lies on the disk. */
export function syncFile(file: string): void {
  synced(file, 'r+')
}

/** Returns once the names in a folder lie on the disk. */
export function syncFolder(folder: string): void {
  // There folders cannot be opened, and the names are kept with the files.
  if (process.platform !== 'win32') synced(folder, 'r')
}

/** Gives a file another name in its folder, over what had that name; once it returns, that outlives a loss of power. */
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
