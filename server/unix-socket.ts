import { closeSync, constants, openSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { basename, dirname } from 'node:path'

/** The maximal length of the path of a unix socket in bytes: the kernel stores 108 bytes with a zero at the end. */
const longestPath = 107

/**
 * Connects to the unix socket at a path of any length. A path that is too long for the kernel is reached through an
 * open folder (`/proc/self/fd`, Linux only). Throws if the folder cannot be opened.
 */
export function connectUnix(path: string): Socket {
  if (Buffer.byteLength(path) <= longestPath) return connect({ path })
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    // The kernel resolves the path during the call of `connect`, so the folder may be closed afterwards.
    return connect({ path: `/proc/self/fd/${folder}/${basename(path)}` })
  } finally {
    closeSync(folder)
  }
}
