import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../../store/sqlite/store-file.ts'
import { readArchive } from './read-archive.ts'

/** A file of records in the folder of the operator. */
export interface SourceFile {
  /** The path in the folder. */
  readonly path: string
  readonly size: number
  readonly changedMs: number
}

/** The longest text of a record, in bytes. */
export const maxRecordBytes = 16 * 1024 * 1024

/** Returns the files `*.json` and `*.zip` of a folder and of the folders in it. Throws if the folder cannot be read. */
export async function listSources(folder: string): Promise<readonly SourceFile[]> {
  const found: SourceFile[] = []
  const below: string[] = []
  for (const { name } of await readdir(folder, { withFileTypes: true })) {
    const source = await sourceAt(folder, name)
    if (source === 'folder') below.push(name)
    else if (source !== undefined) found.push(source)
  }
  for (const name of below) {
    for (const file of await readdir(join(folder, name))) {
      const source = await sourceAt(folder, join(name, file))
      if (source !== undefined && source !== 'folder') found.push(source)
    }
  }
  // In a folder that has gone away meanwhile, all files seem to be gone; its advisories must stay.
  for (const each of ['', ...below]) await readdir(join(folder, each))
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const sourceName = /\.(?:json|zip)$/

async function sourceAt(folder: string, path: string): Promise<SourceFile | 'folder' | undefined> {
  const found = await stat(join(folder, path)).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
  })
  if (found?.isDirectory()) return 'folder'
  if (found === undefined || !found.isFile() || !sourceName.test(path)) return undefined
  return { path, size: found.size, changedMs: found.mtimeMs }
}

/** Yields the texts of the records of a file; undefined for a text that is too long. Throws if the file cannot be read. */
export async function* readSource(folder: string, { path, size }: SourceFile): AsyncGenerator<string | undefined> {
  const file = join(folder, path)
  if (path.endsWith('.zip')) yield* readArchive(file, maxRecordBytes)
  else yield size > maxRecordBytes ? undefined : await readFile(file, 'utf8')
}
