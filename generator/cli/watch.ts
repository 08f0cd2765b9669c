import { readFileSync, watch as watchFolder } from 'node:fs'
import { dirname } from 'node:path'

const settleMilliseconds = 40

/** Texts by file; undefined where a file cannot be read. */
export type Texts = ReadonlyMap<string, string | undefined>

/** What stands in files now. */
export const textsOnDisk = (files: readonly string[]): Texts => new Map(files.map(file => [file, currentText(file)]))

/**
 * Waits until files differ from the texts that were read of them; answers their names, none when `signal` aborts. Folders
 * are watched, since editors replace files; a change of before the watching began is found too. Rejects where a folder
 * cannot be watched.
 */
export async function nextChange(texts: Texts, signal: AbortSignal): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  const closing: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const changed = changedFiles(texts)
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
    for (const folder of new Set([...texts.keys()].map(file => dirname(file)))) {
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

function changedFiles(texts: Texts): string[] {
  return [...texts].filter(([file, text]) => plain(currentText(file)) !== plain(text)).map(([file]) => file)
}

function currentText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Without what a reader of documents may have taken off. */
const plain = (text: string | undefined): string | undefined => text?.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
