import { createHash } from 'node:crypto'
import { open, stat, type FileHandle } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import { CommandError } from '../exit-codes.ts'
import { isSentWhole, partsOf, type Part } from './parts.ts'

/** The most bytes of a chunk. */
const chunkBytes = 1_048_576

/** A place in a content, in bytes. */
type Range = Omit<Part, 'number'>

/** The algorithms of digests. */
type Algorithm = 'md5' | 'sha256'

/** A file whose content a command sends, and that must not change meanwhile. */
export class ContentFile {
  readonly path: string
  /** The size in bytes. */
  readonly size: number
  readonly #handle: FileHandle
  readonly #stats: BigIntStats

  private constructor(path: string, handle: FileHandle, stats: BigIntStats) {
    this.path = path
    this.#handle = handle
    this.#stats = stats
    this.size = Number(stats.size)
  }

  /**
   * Opens a file, runs `act`, and closes the file. Throws `CommandError` for a folder, a device and a file without a size.
   * If `act` fails after the file has changed, throws `CommandError` in place of the fault that the change caused.
   */
  static async reading<R>(path: string, act: (file: ContentFile) => Promise<R>): Promise<R> {
    // A pipe would be opened only once another program opens it.
    if (!(await stat(path)).isFile())
      throw new CommandError(`${path} is no file: name a file, or a folder with --recursive`)
    const handle = await open(path, 'r')
    try {
      const file = new ContentFile(path, handle, await handle.stat({ bigint: true }))
      if (file.size === 0) await file.#requireEmpty()
      return await file.#unchangedDuring(act)
    } finally {
      await handle.close()
    }
  }

  /** Reads the whole content. Throws `CommandError` if the file became shorter. */
  readWhole(): Promise<Buffer<ArrayBuffer>> {
    return this.#fill(Buffer.allocUnsafeSlow(this.size), 0)
  }

  /**
   * Iterates over the bytes of a part, in bounded memory: each chunk has its bytes until the next one is asked for. Throws
   * `CommandError` if the file became shorter.
   */
  async *chunks({ length, start }: Range): AsyncGenerator<Buffer<ArrayBuffer>, void, undefined> {
    const bytes = Buffer.allocUnsafeSlow(Math.min(length, chunkBytes))
    for (let at = 0; at < length; at += bytes.length)
      yield await this.#fill(bytes.subarray(0, Math.min(bytes.length, length - at)), start + at)
  }

  /** Returns the digest of a part, by default of the whole content. */
  async digest(algorithm: Algorithm, range: Range = { start: 0, length: this.size }): Promise<Buffer> {
    const hash = createHash(algorithm)
    for await (const chunk of this.chunks(range)) hash.update(chunk)
    return hash.digest()
  }

  /**
   * Reads bytes from a place of the file on into `bytes`, and returns them. Throws `CommandError` for a file that cannot be
   * read, so that nobody takes the fault for one of a connection.
   */
  async #fill(bytes: Buffer<ArrayBuffer>, start: number): Promise<Buffer<ArrayBuffer>> {
    for (let filled = 0; filled < bytes.length;) {
      const { bytesRead } = await this.#handle
        .read(bytes, filled, bytes.length - filled, start + filled)
        .catch((error: Error) => {
          throw new CommandError(`${this.path} cannot be read: ${error.message}`)
        })
      if (bytesRead === 0) throw this.#changed()
      filled += bytesRead
    }
    return bytes
  }

  async #unchangedDuring<R>(act: (file: ContentFile) => Promise<R>): Promise<R> {
    try {
      return await act(this)
    } catch (error) {
      await this.requireUnchanged()
      throw error
    }
  }

  /** Throws `CommandError` for a file that has bytes but no size, as the files of `/proc` have. */
  async #requireEmpty(): Promise<void> {
    const { bytesRead } = await this.#handle.read(Buffer.alloc(1), 0, 1, 0)
    if (bytesRead > 0) throw new CommandError(`${this.path} does not tell its size: write its content to a file first`)
  }

  /** Throws `CommandError` if the file has changed since it was opened. */
  async requireUnchanged(): Promise<void> {
    const { mtimeNs, size } = await this.#handle.stat({ bigint: true })
    if (mtimeNs !== this.#stats.mtimeNs || size !== this.#stats.size) throw this.#changed()
  }

  /** Returns the entity tag that the content has as an object which this command has uploaded. */
  async etag(): Promise<string> {
    if (isSentWhole(this.size)) return (await this.digest('md5')).toString('hex')
    const parts = partsOf(this.size)
    const all = createHash('md5')
    for (const part of parts) all.update(await this.digest('md5', part))
    return `${all.digest('hex')}-${parts.length}`
  }

  #changed(): CommandError {
    return new CommandError(`${this.path} changed while it was read: run the command again`)
  }
}

/** Returns the digest of some bytes. */
export const digestOf = (algorithm: Algorithm, bytes: Uint8Array): Buffer =>
  createHash(algorithm).update(bytes).digest()
