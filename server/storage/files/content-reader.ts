import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { ContentFault, OpenContent } from '../../../domain/storage/contents/content-files.ts'
import type { ContentFile } from '../../../domain/storage/contents/contents-store.ts'
import { altered } from './content-faults.ts'
import type { FileCalls } from './file-calls.ts'

/** The number of bytes of one read. */
const readBytes = 131_072

/** Refuses links, and does not wait for the writer of a pipe that stands at the place of a file. */
const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The parts of a reader. */
export interface ReaderParts extends Pick<FileCalls, 'open'> {
  /** Ends the protection of the files from deletion. */
  readonly release: () => void
  /** Returns the fault with which a stream ends. */
  readonly fault: (error: unknown) => ContentFault
}

/** Reads the bytes of files one after the other; one file is open at a time. The paths are paths of the host. */
export class ContentReader implements OpenContent {
  readonly #files: readonly ContentFile[]
  readonly #parts: ReaderParts
  #open: { readonly at: number; readonly handle: FileHandle } | undefined

  constructor(files: readonly ContentFile[], parts: ReaderParts) {
    this.#files = files
    this.#parts = parts
  }

  /** Opens the first file. Throws the error of the host. */
  async openFirst(): Promise<void> {
    await this.#handleOf(0)
  }

  stream(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    const pieces = this.#pieces(first, last)
    return new ReadableStream(
      {
        pull: async controller => {
          try {
            const next = await pieces.next()
            if (next.done !== true) return controller.enqueue(next.value)
            await this.close()
            controller.close()
          } catch (error) {
            await this.close()
            controller.error(this.#parts.fault(error))
          }
        },
        cancel: () => this.close(),
      },
      { highWaterMark: 0 },
    )
  }

  async close(): Promise<void> {
    this.#parts.release()
    const opened = this.#open
    this.#open = undefined
    await opened?.handle.close()
  }

  async *#pieces(first: number, last: number): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    let begin = 0
    for (const [at, { size }] of this.#files.entries()) {
      const from = Math.max(first - begin, 0)
      const to = Math.min(last - begin + 1, size)
      begin += size
      if (from >= to) continue
      const handle = await this.#handleOf(at)
      for (let position = from; position < to;) {
        const piece = Buffer.allocUnsafeSlow(Math.min(readBytes, to - position))
        const { bytesRead } = await handle.read(piece, 0, piece.length, position)
        if (bytesRead === 0) throw altered('the file is shorter than its row says')
        position += bytesRead
        yield piece.subarray(0, bytesRead)
      }
    }
  }

  async #handleOf(at: number): Promise<FileHandle> {
    if (this.#open?.at === at) return this.#open.handle
    const { path, size } = this.#files[at] ?? { path: '', size: 0 }
    const before = this.#open
    this.#open = undefined
    await before?.handle.close()
    const handle = await this.#parts.open(path, readOnly)
    try {
      const stats = await handle.stat()
      if (!stats.isFile() || stats.size !== size) throw altered(`${path} is no file of ${size} bytes`)
    } catch (error) {
      await handle.close()
      throw error
    }
    this.#open = { at, handle }
    return handle
  }
}
