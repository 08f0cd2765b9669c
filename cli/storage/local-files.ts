import { lstat, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { CommandError } from '../exit-codes.ts'

/** A file of this machine, and its name below the folder that was named. */
export interface LocalFile {
  readonly path: string
  /** The name with `/` between its segments. */
  readonly name: string
  readonly size: number
}

/** Receives the entries that are no files: entries of another kind, such as sockets, and entries that cannot be read. */
export interface OtherEntries {
  readonly skipped: (path: string) => void
  readonly failed: (path: string, error: unknown) => void
}

/**
 * Iterates over the files below a folder, in the order of names. Links to files are followed, links to folders are not,
 * because they may lead in circles.
 */
export async function* filesBelow(
  folder: string,
  others: OtherEntries,
  above = '',
): AsyncGenerator<LocalFile, void, undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    others.failed(folder, error)
    return []
  })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const [path, name] = [join(folder, entry.name), `${above}${entry.name}`]
    if (entry.isDirectory()) {
      yield* filesBelow(path, others, `${name}/`)
      continue
    }
    const facts = await stat(path).catch((error: unknown) => others.failed(path, error))
    if (facts?.isFile()) yield { path, name, size: facts.size }
    else if (facts) others.skipped(path)
  }
}

/** Whether a path is a folder; links are followed. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** Makes a folder unless it is there. Throws `CommandError` for a path of a file. */
export async function makeFolder(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined)
  if (facts && !facts.isDirectory()) throw new CommandError(`${path} is no folder: name a folder for the objects`)
  await mkdir(path, { recursive: true })
}

/**
 * Returns the path below a folder for the name of an object, and makes the folders above it. The name comes from a
 * server, so it must not lead out of the folder, and no link on the way may lead elsewhere.
 */
export async function pathBelow(folder: string, name: string): Promise<string> {
  const segments = name.split('/')
  const isOdd = (segment: string): boolean =>
    segment === '' || segment === '.' || segment === '..' || segment.includes('\0') || segment.includes(sep)
  if (segments.some(isOdd)) throw new CommandError(`the object ${name} cannot be a file of this machine`)
  const path = join(folder, ...segments)
  await mkdir(dirname(path), { recursive: true })
  let above = folder
  for (const segment of segments.slice(0, -1)) {
    above = join(above, segment)
    if ((await lstat(above)).isSymbolicLink())
      throw new CommandError(`${above} is a link: objects are not written through links`)
  }
  return path
}
