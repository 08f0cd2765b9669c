import { watch as watchFolder } from 'node:fs'
import { dirname } from 'node:path'
import { inputDigest } from './recalled.ts'

const settleMilliseconds = 40

/** SHA-256 of texts by file; undefined where a file cannot be read. */
export type Digests = ReadonlyMap<string, string | undefined>

/** What stands in files now. */
export const digestsOnDisk = (files: readonly string[]): Digests =>
  new Map(files.map(file => [file, inputDigest(file)]))

/**
 * Waits until files differ from what was read of them; answers their names, none when `signal` aborts. Folders
 * are watched, since editors replace files; a change of before the watching began is found too. Rejects where a folder
 * cannot be watched.
 */
export async function nextChange(digests: Digests, signal: AbortSignal): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  const closing: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const changed = changedFiles(digests)
    if (changed.length > 0) resolve(changed)
  }
  // An editor saves in several steps: look when they are over.
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
