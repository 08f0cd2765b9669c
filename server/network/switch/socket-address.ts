import { closeSync, constants, openSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** The longest path of a unix socket in bytes, without the 0 behind it (Linux `unix(7)`). */
const maxPathBytes = 107

/** An address to which a unix socket can connect. */
export interface SocketAddress {
  readonly path: string
  /** Ends the use of the address; called after the connection is made or has failed. */
  release(): void
}

/**
 * Returns an address for the unix socket at a path. The kernel limits the path to 107 bytes, so a longer path goes
 * through the open folder of the socket, `/proc/self/fd/<number>/<name>`, which is as short as its name. Throws if the
 * folder does not exist.
 */
export function socketAddress(path: string): SocketAddress {
  if (Buffer.byteLength(path) <= maxPathBytes) return { path, release() {} }
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY)
  return { path: `/proc/self/fd/${folder}/${basename(path)}`, release: () => closeSync(folder) }
}
