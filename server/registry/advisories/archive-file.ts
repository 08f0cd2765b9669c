import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { RandomAccessReader } from 'yauzl'

/**
 * The bytes of an archive, read without the thread pool: an archive has hundreds of thousands of short records, and a
 * thread that imports them has nothing else to do while it waits.
 */
export class ArchiveFile extends RandomAccessReader {
  /** In bytes. */
  readonly size: number
  readonly #descriptor: number

  constructor(path: string) {
    super()
    this.#descriptor = openSync(path, 'r')
    this.size = fstatSync(this.#descriptor).size
  }

  /** Reads a part of the file. Throws if the file ends before. */
  bytes(position: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(length)
    this.#fill(buffer, position)
    return buffer
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    let fault: Error | null = null
    try {
      this.#fill(buffer.subarray(offset, offset + length), position)
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error))
    }
    // A caller that is answered before it returns would recurse for each entry.
    queueMicrotask(() => callback(fault))
  }

  /** Closes the file. */
  end(): void {
    closeSync(this.#descriptor)
  }

  #fill(buffer: Buffer, position: number): void {
    for (let filled = 0; filled < buffer.length;) {
      const count = readSync(this.#descriptor, buffer, filled, buffer.length - filled, position + filled)
      if (count === 0) throw new Error('the archive ends too early')
      filled += count
    }
  }
}
