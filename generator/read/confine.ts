import { realpath } from 'node:fs/promises'
import { dirname, sep } from 'node:path'

/** Decides which files references may reach: those below the entry documents' folders, symbolic links followed. */
export class Confinement {
  readonly #folders: readonly string[]

  private constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** `entries` are absolute paths; one that does not exist allows nothing. */
  static async around(entries: readonly string[]): Promise<Confinement> {
    const real = await Promise.all(entries.map(entry => realpath(entry).catch(() => undefined)))
    return new Confinement(real.flatMap(path => (path === undefined ? [] : [withSeparator(dirname(path))])))
  }

  /** Whether a path that exists stands inside. */
  async holds(path: string): Promise<boolean> {
    const real = await realpath(path)
    return this.#folders.some(folder => real.startsWith(folder))
  }
}

const withSeparator = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep)
