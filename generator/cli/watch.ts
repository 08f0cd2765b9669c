import { watch as watchFolder } from 'node:fs'
import { dirname } from 'node:path'
import { inputDigest } from './compared-run.ts'

const settleMilliseconds = 40

/** The SHA-256 of the text of each file, keyed by path; undefined for an unreadable file. */
export type Digests = ReadonlyMap<string, string | undefined>

/** Returns the current digests of files. */
export const digestsOnDisk = (files: readonly string[]): Digests =>
  new Map(files.map(file => [file, inputDigest(file)]))

/**
 * Waits until files differ from their digests, and returns the names of the changed files; empty if `signal` aborts.
 * The function watches folders, because editors replace files, and also finds changes from before the call. Rejects if
 * a folder cannot be watched.
 */
export async function nextChange(digests: Digests, signal: AbortSignal): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  const closing: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const changed = changedFiles(digests)
    if (changed.length > 0) resolve(changed)
  }
  // An editor saves a file in several steps, so the comparison waits for the last step.
  const settle = (): void => {
    clearTimeout(timer)
    timer = setTimeout(look, settleMilliseconds)
  }
  const abort = (): void => resolve([])
  signal.addEventListener('abort', abort)
  try {
    for (const folder of new Set([...digests.keys()].map(file => dirname(file)))) {
      const watcher = watchFolder(folder, settle).on('error', reject)
      closing.push(() => watcher.close())
    }
    if (signal.aborted) abort()
    else settle()
    return await promise
  } finally {
    clearTimeout(timer)
    for (const close of closing) close()
    signal.removeEventListener('abort', abort)
  }
}

const changedFiles = (digests: Digests): string[] =>
  [...digests].filter(([file, digest]) => inputDigest(file) !== digest).map(([file]) => file)
