import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

const skippedFolders: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'coverage'])
const byteOrderMark = '\ufeff'

/** A handwritten file: its path in the form of the operating system, and its text without the byte order mark. */
export interface HandwrittenFile {
  readonly path: string
  readonly text: string
  readonly mark: '' | typeof byteOrderMark
}

/**
 * Reads the TypeScript files below `folder`; the entries of each folder are sorted by name. Skips the output, folders
 * with installed packages or build results, hidden folders, declaration files and symbolic links. Returns an empty list
 * if the folder does not exist.
 */
export function handwrittenFiles(folder: string, outputRoot: string): HandwrittenFile[] {
  const output = resolve(outputRoot)
  const files: HandwrittenFile[] = []
  const visit = (current: string): void => {
    const entries = readdirSync(current, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = join(current, entry.name)
      if (entry.isDirectory() && !isSkipped(entry.name) && resolve(path) !== output) visit(path)
      if (entry.isFile() && /(?<!\.d)\.[cm]?tsx?$/.test(entry.name)) files.push(readHandwritten(path))
    }
  }
  if (lstatSync(folder, { throwIfNoEntry: false })) visit(folder)
  return files
}

/** Returns the form of a path for comparing modules: absolute, with `/` on every system. */
export function posixPath(path: string): string {
  const absolute = resolve(path).split(sep).join('/')
  return absolute.startsWith('/') ? absolute : `/${absolute}`
}

/** Returns the form of a path for messages: relative to the working directory, with `/`. */
export const shownPath = (path: string): string => relative('', path).split(sep).join('/')

const isSkipped = (name: string): boolean => name.startsWith('.') || skippedFolders.has(name)

function readHandwritten(path: string): HandwrittenFile {
  const text = readFileSync(path, 'utf8')
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  return { path, text: text.slice(mark.length), mark }
}
