import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'

/** Far more than the concurrent tests write. */
const neededBytes = 1024 ** 3

function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= neededBytes
}

/**
 * Where tests write: in memory where there is room. A store waits for its disk at each commit, which no test looks at:
 * a process that is killed loses nothing that its system has taken.
 */
export const memoryFolder = isRoomy(memory) ? memory : tmpdir()
