import { dirname } from 'node:path'
import { systemCode } from '../../store/sqlite/store-file.ts'
import type { FileCalls } from './file-calls.ts'

/** The permissions of the folders: for their owner only. */
const folderMode = 0o700

/** The number of folders that are known to exist; each upload in parts has a folder. */
const mostKnown = 10_000

/** The folders of content files, whose names survive a loss of power. */
export class DurableFolders {
  readonly #calls: Pick<FileCalls, 'mkdir' | 'open'>
  /** The folders that exist with names on the disk. */
  readonly #known = new Set<string>()

  constructor(calls: Pick<FileCalls, 'mkdir' | 'open'>) {
    this.#calls = calls
  }

  /** Makes a folder unless it exists; its parent must exist. */
  async make(folder: string): Promise<void> {
    if (this.#known.has(folder)) return
    await this.#calls.mkdir(folder, { mode: folderMode }).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error
    })
    await this.sync(dirname(folder))
    const [oldest] = this.#known
    if (oldest !== undefined && this.#known.size === mostKnown) this.#known.delete(oldest)
    this.#known.add(folder)
  }

  /** Writes the names in a folder to the disk. */
  async sync(folder: string): Promise<void> {
    // Windows cannot open folders, and stores the names with the files.
    if (process.platform === 'win32') return
    const handle = await this.#calls.open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }

  /** Forgets that a folder exists; returns whether that was known. */
  forget(folder: string): boolean {
    return this.#known.delete(folder)
  }

  forgetAll(): void {
    this.#known.clear()
  }
}
