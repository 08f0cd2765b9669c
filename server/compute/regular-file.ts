import { closeSync, constants, fstatSync, openSync } from 'node:fs'

/**
 * Calls a function with the open descriptor and the length of a regular file, and returns the result of the function.
 * Throws for a path of any other kind: the open call of a pipe would wait for a writer and stop the whole server, and
 * devices have no end.
 */
export function readRegularFile<R>(path: string, read: (descriptor: number, bytes: number) => R): R {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error(`${path} is no regular file`)
    return read(descriptor, stats.size)
  } finally {
    closeSync(descriptor)
  }
}
