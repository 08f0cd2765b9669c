import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import { CommandError } from '../exit-codes.ts'
import { isSentWhole, partsOf, type Part } from './parts.ts'

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

  /** Opens a file, runs `act`, and closes the file. Throws `CommandError` for a folder or a device. */
  static async reading<R>(path: string, act: (file: ContentFile) => Promise<R>): Promise<R> {
    const handle = await open(path, 'r')
    try {
      const stats = await handle.stat({ bigint: true })
      if (!stats.isFile()) throw new CommandError(`${path} is no file: name a file, or a folder with --recursive`)
      return await act(new ContentFile(path, handle, stats))
    } finally {
      await handle.close()
    }
  }

  /** Reads a part. Throws `CommandError` if the file became shorter. */
  async read({ length, start }: Omit<Part, 'number'>): Promise<Buffer<ArrayBuffer>> {
    const bytes = Buffer.allocUnsafeSlow(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, start + filled)
      if (bytesRead === 0) throw this.#changed()
      filled += bytesRead
    }
    return bytes
  }

  /** Throws `CommandError` if the file has changed since it was opened. */
  async requireUnchanged(): Promise<void> {
    const { mtimeNs, size } = await this.#handle.stat({ bigint: true })
    if (mtimeNs !== this.#stats.mtimeNs || size !== this.#stats.size) throw this.#changed()
  }

  /** Returns the entity tag that the content has as an object which this command has uploaded. */
  async etag(): Promise<string> {
    if (isSentWhole(this.size)) return md5(await this.read({ start: 0, length: this.size })).toString('hex')
    const parts = partsOf(this.size)
    const all = createHash('md5')
    for (const part of parts) all.update(md5(await this.read(part)))
    return `${all.digest('hex')}-${parts.length}`
  }

  /** Returns the MD5 of the whole content. */
  async md5(): Promise<string> {
    const all = createHash('md5')
    for (const part of partsOf(this.size)) all.update(await this.read(part))
    return all.digest('hex')
  }

  #changed(): CommandError {
    return new CommandError(`${this.path} changed while it was read: run the command again`)
  }
}

/** Returns the MD5 of some bytes. */
export const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest()

/** Returns the SHA-256 of some bytes. */
export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()
