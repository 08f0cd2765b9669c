import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../../store/sqlite/store-file.ts'

const finished = /^vault-[0-9a-f-]{36}\.snap$/
const unfinished = /^vault-[0-9a-f-]{36}\.snap\.part$/

/** The folder of the snapshots of a server. */
export class SnapshotFolder {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Returns the path of the unfinished file of a snapshot. */
  partOf(id: string): string {
    return `${this.fileOf(id)}.part`
  }

  /** Returns the path of a finished snapshot. */
  fileOf(id: string): string {
    return join(this.#path, `vault-${id}.snap`)
  }

  /** Creates the folder, accessible to its owner only, if it does not exist. */
  async make(): Promise<void> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 })
  }

  /** Gives an unfinished file its name; after the return, the name survives a loss of power. */
  async finish(id: string): Promise<void> {
    await rename(this.partOf(id), this.fileOf(id))
    const folder = await open(this.#path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  /** Deletes an unfinished file, if it exists. */
  async discard(id: string): Promise<void> {
    await rm(this.partOf(id), { force: true })
  }

  /** Deletes the unfinished files of killed servers; `running` is the id of a snapshot that may still be written. */
  async sweep(running: string | undefined): Promise<readonly string[]> {
    const kept = running === undefined ? '' : `vault-${running}.snap.part`
    return this.#remove((await this.#names(unfinished)).filter(name => name !== kept))
  }

  /** Deletes all finished snapshots but the newest `keep`. The ids of snapshots ascend with their times. */
  async prune(keep: number): Promise<readonly string[]> {
    return this.#remove((await this.#names(finished)).toSorted().toReversed().slice(keep))
  }

  /** Returns the time in milliseconds since 1970 and the size in bytes of the newest snapshot; undefined without one. */
  async newest(): Promise<{ readonly timeMs: number; readonly bytes: number } | undefined> {
    const name = (await this.#names(finished)).toSorted().at(-1)
    if (name === undefined) return undefined
    const { mtimeMs, size } = await stat(join(this.#path, name))
    return { timeMs: mtimeMs, bytes: size }
  }

  async #names(form: RegExp): Promise<readonly string[]> {
    try {
      return (await readdir(this.#path)).filter(name => form.test(name))
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return []
      throw error
    }
  }

  async #remove(names: readonly string[]): Promise<readonly string[]> {
    for (const name of names) await rm(join(this.#path, name), { force: true })
    return names
  }
}
