import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

const skippedFolders: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'coverage'])
const byteOrderMark = '\ufeff'

/** A handwritten file: its path as the operating system has it, and its text without a byte order mark. */
export interface HandwrittenFile {
  readonly path: string
  readonly text: string
  readonly mark: '' | typeof byteOrderMark
}

/**
 * The TypeScript files below `folder`, in order of path; without the output, installed packages, hidden folders,
 * declarations and what symbolic links lead to. Empty when the folder does not exist.
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

/** A path as modules are compared by: absolute, with `/`, also where the system writes it otherwise. */
export function posixPath(path: string): string {
  const absolute = resolve(path).split(sep).join('/')
  return absolute.startsWith('/') ? absolute : `/${absolute}`
}

/** A path as a person would type it: relative to the working directory, with `/`. */
export const shownPath = (path: string): string => relative('', path).split(sep).join('/')

const isSkipped = (name: string): boolean => name.startsWith('.') || skippedFolders.has(name)

function readHandwritten(path: string): HandwrittenFile {
  const text = readFileSync(path, 'utf8')
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  return { path, text: text.slice(mark.length), mark }
}
