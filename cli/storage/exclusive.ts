import { readFile, rm, writeFile } from 'node:fs/promises'
import { CommandError } from '../exit-codes.ts'

/**
 * Runs `act` while no other command of this machine runs one with the same lock file. The lock of a killed command is taken
 * over. Throws `CommandError` if a running command holds the lock; `path` names the file for the message.
 */
export async function exclusively<R>(lock: string, path: string, act: () => Promise<R>): Promise<R> {
  while (!(await take(lock))) {
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''))
    if (isRunning(holder))
      throw new CommandError(`another command copies to ${path} (process ${holder}): wait until it has ended`, 1)
    await rm(lock, { force: true })
  }
  try {
    return await act()
  } finally {
    await rm(lock, { force: true })
  }
}

/** Makes the lock file; returns false if there is one. */
const take = (lock: string): Promise<boolean> =>
  writeFile(lock, `${process.pid}`, { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
