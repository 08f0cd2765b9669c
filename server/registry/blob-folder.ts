import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  UploadChanged,
  type Appended,
  type Appending,
  type BlobStore,
  type OpenBlob,
  type StoredBytes,
} from '../../domain/registry/blobs/blob-store.ts'
import type { DigestAlgorithm } from '../../domain/registry/values/digest.ts'
import type { ContentFault } from '../../domain/storage/contents/content-files.ts'
import type { Chunks } from '../../runtime/media.ts'
import { faultOf } from '../storage/files/content-faults.ts'
import { ContentReader } from '../storage/files/content-reader.ts'
import { DurableFolders } from '../storage/files/durable-folders.ts'
import { hostCalls, type FileCalls } from '../storage/files/file-calls.ts'
import { TurnShares } from '../storage/files/sums.ts'
import { EarlyStoring, writeBody } from '../storage/files/write-body.ts'
import { systemCode } from '../store/sqlite/store-file.ts'
import { blobStoreUnavailable } from './blob-store-faults.ts'
import { RunningHashes } from './running-hashes.ts'
import { Turns } from './turns.ts'
import { untilFailure } from './until-failure.ts'

/**
 * The number of bytes of a call after which they are written to the disk: a commit of the store, which waits for the bytes
 * before it on the disk, then never waits for a whole blob.
 */
const syncedBytes = 8 * 2 ** 20

/** The permissions of the files: for their owner only. */
const fileMode = 0o600

/** A link at the place of an upload is refused. */
const appended = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)

/** The number of bytes that are read at once to hash a file. */
const readBytes = 1_048_576

/** The parts of a folder of blobs. */
export interface FolderParts {
  /** The folder, which is made on demand; its parent exists. */
  readonly folder: string
  /** Receives the faults of files. */
  readonly report: (fault: ContentFault) => void
  readonly calls?: FileCalls
}

/** The blobs in a folder of this host: uploads at `uploads/<id>`, blobs at `blobs/<algorithm>/<2 hex>/<hex>.<id>`. */
export class BlobFolder implements BlobStore {
  readonly #folder: string
  readonly #report: (fault: ContentFault) => void
  readonly #calls: FileCalls
  readonly #folders: DurableFolders
  readonly #hashes = new RunningHashes()
  readonly #shares = new TurnShares()
  readonly #early = new EarlyStoring()
  readonly #turns = new Turns()

  constructor({ calls = hostCalls, folder, report }: FolderParts) {
    this.#folder = folder
    this.#report = report
    this.#calls = calls
    this.#folders = new DurableFolders(calls)
  }

  append(upload: string, body: Chunks, { algorithm, first, isBegun, maxBytes, tooLong }: Appending): Promise<Appended> {
    return this.#turns.run(upload, async () => {
      const file = await this.#attempt(() => this.#openUpload(upload))
      try {
        const { size } = await this.#attempt(() => file.stat())
        if (isBegun === true && size === 0) throw new UploadChanged(`upload ${upload} has no bytes any more`)
        if (first !== undefined && first !== size) return { size, isMisplaced: true }
        const running = this.#hashes.continued(upload, algorithm, size)
        let failure: { readonly error: unknown } | undefined
        let unsynced = 0
        const part = untilFailure(body, error => (failure = { error }))
        const added = await writeBody(part, file, {
          maxBytes: maxBytes - size,
          tooLong,
          early: this.#early,
          add: async chunk => {
            unsynced += chunk.length
            if (unsynced >= syncedBytes) {
              unsynced = 0
              await this.#attempt(() => file.datasync())
            }
            if (!running) return
            await this.#shares.run(() => running.hash.update(chunk))
            running.size += chunk.length
          },
          attempt: write => this.#attempt(write),
        })
        if (failure !== undefined) throw failure.error
        return { size: size + added, isMisplaced: false }
      } finally {
        await file.close()
      }
    })
  }

  sizeOf(upload: string): Promise<number> {
    return this.#turns.run(upload, async () => (await this.#sizeIfPresent(upload)) ?? 0)
  }

  seal(upload: string, algorithm: DigestAlgorithm): Promise<{ readonly hex: string; readonly size: number }> {
    return this.#turns.run(upload, () =>
      this.#attempt(async () => {
        // An upload without any byte has no file yet.
        const file = await this.#openUpload(upload)
        try {
          await file.sync()
          const { size } = await file.stat()
          const running = this.#hashes.continued(upload, algorithm, size)
          return { hex: running ? running.hash.copy().digest('hex') : await this.#hashOf(upload, algorithm), size }
        } finally {
          await file.close()
        }
      }),
    )
  }

  keep(upload: string, file: string, size: number): Promise<void> {
    return this.#turns.run(upload, async () => {
      if ((await this.#sizeIfPresent(upload)) !== size)
        throw new UploadChanged(`upload ${upload} has not ${size} bytes any more`)
      await this.#attempt(async () => {
        const target = join(this.#folder, file)
        await this.#makeFolders(dirname(file))
        await this.#calls.rename(this.#uploadPath(upload), target)
        await this.#folders.sync(dirname(target))
        this.#hashes.forget(upload)
      })
    })
  }

  discard(upload: string): Promise<void> {
    return this.#turns.run(upload, async () => {
      this.#hashes.forget(upload)
      await this.#attempt(() => this.#calls.rm(this.#uploadPath(upload), { force: true }))
    })
  }

  async open(file: string, size: number): Promise<OpenBlob | undefined> {
    const reader = new ContentReader([{ path: join(this.#folder, file), size }], {
      lstat: this.#calls.lstat,
      open: this.#calls.open,
      release: () => {},
      fault: error => this.#reported(error, 'read'),
    })
    try {
      await reader.openFirst()
      return reader
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw blobStoreUnavailable(this.#reported(error, 'read').kind)
    }
  }

  remove(file: string): Promise<void> {
    return this.#attempt(() => this.#calls.rm(join(this.#folder, file), { force: true }))
  }

  async *olderThan(timeMs: number): AsyncGenerator<StoredBytes, void, undefined> {
    for await (const path of this.#filesBelow('')) {
      const stats = await this.#calls.lstat(join(this.#folder, path)).catch(() => undefined)
      if (stats === undefined || stats.mtimeMs >= timeMs) continue
      const [kind, upload = ''] = path.split('/')
      if (kind === 'uploads') yield { upload }
      else if (kind === 'blobs') yield { file: path }
    }
  }

  async #openUpload(upload: string): Promise<FileHandle> {
    await this.#makeFolders('uploads')
    return this.#calls.open(this.#uploadPath(upload), appended, fileMode)
  }

  /** Returns the number of bytes of an upload; undefined without a file. */
  async #sizeIfPresent(upload: string): Promise<number | undefined> {
    try {
      const file = await this.#calls.open(this.#uploadPath(upload), 'r')
      try {
        return (await file.stat()).size
      } finally {
        await file.close()
      }
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw blobStoreUnavailable(this.#reported(error, 'read').kind)
    }
  }

  async #hashOf(upload: string, algorithm: DigestAlgorithm): Promise<string> {
    const hash = createHash(algorithm)
    const buffer = Buffer.allocUnsafe(readBytes)
    const file = await this.#calls.open(this.#uploadPath(upload), 'r')
    try {
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length)
        if (bytesRead === 0) return hash.digest('hex')
        await this.#shares.run(() => hash.update(buffer.subarray(0, bytesRead)))
      }
    } finally {
      await file.close()
    }
  }

  /** Makes a folder below the folder of the store, with its parents. */
  async #makeFolders(path: string): Promise<void> {
    let made = this.#folder
    await this.#folders.make(made)
    for (const name of path.split('/')) await this.#folders.make((made = join(made, name)))
  }

  /** Iterates over the files below a folder, in bounded memory; none for an absent folder. */
  async *#filesBelow(path: string): AsyncGenerator<string, void, undefined> {
    const entries = await this.#calls.opendir(join(this.#folder, path)).catch(() => [])
    for await (const entry of entries) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory()) yield* this.#filesBelow(below)
      else if (entry.isFile()) yield below
    }
  }

  #uploadPath = (upload: string): string => join(this.#folder, 'uploads', upload)

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      // Another disk may be mounted at the place of the folders.
      this.#folders.forgetAll()
      throw blobStoreUnavailable(this.#reported(error, 'write').kind)
    }
  }

  #reported(error: unknown, work: 'read' | 'write'): ContentFault {
    const fault = faultOf('registry', error, work)
    this.#report(fault)
    return fault
  }
}
