import { appendFile, rm, stat } from 'node:fs/promises'
import { CommandError } from '../exit-codes.ts'
import { takeLock } from '../file-lock.ts'

/**
 * Runs `act` while no other command runs one with the same lock file, which is removed afterwards. The lock of a killed
 * command is free. Throws `CommandError` if another command holds the lock; `path` names the file for the message.
 */
export async function exclusively<R>(lock: string, path: string, act: () => Promise<R>): Promise<R> {
  const release = await takePresent(lock)
  if (!release) throw new CommandError(`another command copies to ${path}: wait until it has ended`, 1)
  try {
    return await act()
  } finally {
    // The file is removed before its lock is free, so that no command removes the lock file of another command.
    await rm(lock, { force: true })
    release()
  }
}

/** Takes the lock of a file that is still at its path then: a command that ends removes its lock file. */
async function takePresent(lock: string): Promise<(() => void) | undefined> {
  for (;;) {
    await appendFile(lock, '', { mode: 0o600 })
    const before = await inodeOf(lock)
    const release = await takeLock(lock)
    if (!release) return undefined
    if (before !== undefined && before === (await inodeOf(lock))) return release
    release()
  }
}

const inodeOf = async (path: string): Promise<bigint | undefined> =>
  (await stat(path, { bigint: true }).catch(() => undefined))?.ino
