import { realpath } from 'node:fs/promises'
import { dirname, sep } from 'node:path'

/**
 * Limits references to the folders of the entry documents and the folders below them, after symbolic links are
 * resolved.
 */
export class Confinement {
  readonly #folders: readonly string[]

  private constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** Returns a confinement to the folders of `entries`, which are absolute paths. A missing entry adds no folder. */
  static async around(entries: readonly string[]): Promise<Confinement> {
    const real = await Promise.all(entries.map(entry => realpath(entry).catch(() => undefined)))
    return new Confinement(real.flatMap(path => (path === undefined ? [] : [withSeparator(dirname(path))])))
  }

  /** Whether an existing path lies inside the folders. Rejects if the path does not exist. */
  async holds(path: string): Promise<boolean> {
    const real = await realpath(path)
    return this.#folders.some(folder => real.startsWith(folder))
  }
}

const withSeparator = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep)
