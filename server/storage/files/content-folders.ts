import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  ContentFault,
  type ContentFiles,
  type Digests,
  type OpenContent,
  type ReceivedFile,
  type Receiving,
  type SyncMode,
} from '../../../domain/storage/contents/content-files.ts'
import type { ContentFile } from '../../../domain/storage/contents/contents-store.ts'
import type { Chunks } from '../../../runtime/media.ts'
import { systemCode } from '../../store/sqlite/store-file.ts'
import { faultOf } from './content-faults.ts'
import { ContentReader } from './content-reader.ts'
import { DurableFolders } from './durable-folders.ts'
import { hostCalls, type FileCalls } from './file-calls.ts'
import { Readers } from './readers.ts'
import { Sums, TurnShares } from './sums.ts'
import { EarlyStoring, writeBody } from './write-body.ts'

/** The permissions of the files: for their owner only. */
const fileMode = 0o600

/** A new file for writing; a link or another file at its place is refused. */
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/** Returns the folder of an instance; undefined if this server has none. */
export type FolderOf = (instance: string) => string | undefined

/** The options of `ContentFolders`. */
export interface ContentOptions {
  /** The calls on files; by default those of this host. */
  readonly calls?: FileCalls
  /** Receives the faults of files, also of streams. A lost file is reported by a stream alone, as its caller may retry. */
  readonly report?: (fault: ContentFault) => void
}

/** The files of storage class instances in folders of this host. */
export class ContentFolders implements ContentFiles {
  readonly #folderOf: FolderOf
  readonly #calls: FileCalls
  readonly #report: (fault: ContentFault) => void
  readonly #readers = new Readers()
  /** The faults that were reported. */
  readonly #told = new WeakSet<ContentFault>()
  readonly #shares = new TurnShares()
  readonly #early = new EarlyStoring()
  readonly #folders: DurableFolders
  /** The temporary files of bodies that are still arriving, however slowly. */
  readonly #arriving = new Set<string>()

  constructor(folderOf: FolderOf, { calls = hostCalls, report = () => {} }: ContentOptions = {}) {
    this.#folderOf = folderOf
    this.#calls = calls
    this.#folders = new DurableFolders(calls)
    this.#report = report
  }

  async receive(body: Chunks, receiving: Receiving): Promise<ReceivedFile> {
    const { instance, syncMode } = receiving
    const path = `tmp/${randomUUID()}`
    const file = this.#pathOf(instance, path)
    const handle = await this.#attempt(instance, async () => {
      await this.#folders.make(dirname(file))
      return this.#calls.open(file, newFile, fileMode)
    })
    this.#arriving.add(file)
    try {
      const { digests, size } = await this.#write(body, handle, receiving)
      await this.#attempt(instance, () => sync(handle, syncMode))
      await this.#attempt(instance, () => handle.close())
      return { path, size, digests }
    } catch (error) {
      // The body has failed already, and a worker deletes old files, so a failed deletion loses nothing.
      await handle.close().catch(() => {})
      await this.#calls.rm(file, { force: true }).catch(() => {})
      throw error
    } finally {
      this.#arriving.delete(file)
    }
  }

  move(instance: string, from: string, to: string): Promise<void> {
    return this.#attempt(instance, async () => {
      const target = this.#pathOf(instance, to)
      const rename = () => this.#calls.rename(this.#pathOf(instance, from), target)
      await this.#folders.make(dirname(target))
      await rename().catch(async (error: unknown) => {
        // The folder of an upload is deleted when it is empty.
        if (systemCode(error) !== 'ENOENT' || !this.#folders.forget(dirname(target))) throw error
        await this.#folders.make(dirname(target))
        await rename()
      })
      await this.#folders.sync(dirname(target))
    })
  }

  async open(instance: string, files: readonly ContentFile[]): Promise<OpenContent> {
    // Content in one file is opened at once, so its deletion need not wait for the reader.
    const release = this.#readers.add(files.length > 1 ? files : [])
    if (!release) throw new ContentFault('lost', instance, undefined)
    const parts = files.map(({ path, size }) => ({ path: this.#pathOf(instance, path), size }))
    const reader = new ContentReader(parts, {
      ...this.#calls,
      release,
      fault: error => this.#reported(faultOf(instance, error, 'read')),
    })
    if (files.length === 1)
      await reader.openFirst().catch((error: unknown) => {
        release()
        throw this.#known(faultOf(instance, error, 'read'))
      })
    return reader
  }

  remove(instance: string, paths: readonly string[]): Promise<boolean> {
    return this.#readers.removing(paths, () =>
      this.#attempt(instance, async () => {
        for (const path of paths) await this.#calls.rm(this.#pathOf(instance, path), { force: true })
        const uploads = new Set(paths.filter(path => path.startsWith('parts/')).map(dirname))
        for (const folder of uploads) await this.#removeEmpty(this.#pathOf(instance, folder))
      }),
    )
  }

  async *olderThan(instance: string, timeMs: number): AsyncGenerator<string, void, undefined> {
    const folder = this.#folderOf(instance)
    if (folder === undefined) return
    for (const kept of ['tmp', 'objects', 'parts']) {
      for await (const path of this.#filesBelow(folder, kept)) {
        if (this.#arriving.has(join(folder, path))) continue
        const stats = await this.#calls.lstat(join(folder, path)).catch(() => undefined)
        if (stats !== undefined && stats.mtimeMs < timeMs) yield path
      }
    }
  }

  async #write(
    body: Chunks,
    handle: FileHandle,
    { instance, maxBytes, tooLong }: Receiving,
  ): Promise<{ readonly size: number; readonly digests: Digests }> {
    const sums = new Sums(this.#shares)
    const size = await writeBody(body, handle, {
      maxBytes,
      tooLong,
      early: this.#early,
      add: chunk => sums.add(chunk),
      attempt: write => this.#attempt(instance, write),
    })
    return { size, digests: sums.end() }
  }

  /** Returns the path of a file on the host. Throws for an instance that has no folder on this server. */
  #pathOf(instance: string, path: string): string {
    const folder = this.#folderOf(instance)
    if (folder === undefined) throw this.#known(new ContentFault('failed', instance, undefined))
    return join(folder, path)
  }

  /** Deletes a folder if it is empty. */
  async #removeEmpty(folder: string): Promise<void> {
    try {
      await this.#calls.rmdir(folder)
      this.#folders.forget(folder)
    } catch {
      // The folder has files, or it is deleted already.
    }
  }

  /** Iterates over the paths of the files below a folder, in bounded memory; none for an absent folder. */
  async *#filesBelow(folder: string, path: string): AsyncGenerator<string, void, undefined> {
    const entries = await this.#calls.opendir(join(folder, path)).catch(() => [])
    for await (const entry of entries) {
      const below = `${path}/${entry.name}`
      if (entry.isDirectory()) yield* this.#filesBelow(folder, below)
      else if (entry.isFile()) yield below
    }
  }

  async #attempt<T>(instance: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      // Another disk may be mounted at the place of the folders.
      this.#folders.forgetAll()
      throw this.#known(faultOf(instance, error, 'write'))
    }
  }

  /** Reports a fault, unless its caller may read the rows again and find another file. */
  #known(fault: ContentFault): ContentFault {
    return fault.kind === 'lost' ? fault : this.#reported(fault)
  }

  #reported(fault: ContentFault): ContentFault {
    if (!this.#told.has(fault)) this.#report(fault)
    this.#told.add(fault)
    return fault
  }
}

const sync = (handle: FileHandle, mode: SyncMode): Promise<void> =>
  mode === 'FULL' ? handle.sync() : handle.datasync()
