import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'

/** The minimal free room of a folder in memory, in bytes: far more than concurrent tests write. */
const neededBytes = 1024 ** 3

function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= neededBytes
}

/**
 * The folder in which tests write: in memory if there is room, because a store waits for its disk at each commit. Tests
 * need no disk: a killed process loses nothing that the operating system has received.
 */
export const memoryFolder = isRoomy(memory) ? memory : tmpdir()
