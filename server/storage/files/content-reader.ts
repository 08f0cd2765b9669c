import { constants, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { ContentFault, OpenContent } from '../../../domain/storage/contents/content-files.ts'
import { filledStream } from '../../../runtime/body.ts'
import type { ContentFile } from '../../../domain/storage/contents/contents-store.ts'
import { altered } from './content-faults.ts'
import type { FileCalls } from './file-calls.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Refuses links, and does not wait for the writer of a pipe that stands at the place of a file. */
const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The parts of a reader. */
export interface ReaderParts extends Pick<FileCalls, 'lstat' | 'open'> {
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
  #isClosed = false

  constructor(files: readonly ContentFile[], parts: ReaderParts) {
    this.#files = files
    this.#parts = parts
  }

  /** Opens the first file. Throws the error of the host. */
  async openFirst(): Promise<void> {
    await this.#handleOf(0)
  }

  async verify(first: number, last: number): Promise<void> {
    // The only file of a content was checked when it was opened.
    if (this.#open) return
    let begin = 0
    for (const { path, size } of this.#files) {
      const isRead = begin <= last && begin + size > first
      begin += size
      if (!isRead) continue
      try {
        requireWhole(path, size, await this.#parts.lstat(path))
      } catch (error) {
        throw this.#parts.fault(error)
      }
    }
  }

  stream(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    const cursor = this.#cursor(first, last)
    return filledStream(
      async view => {
        try {
          const filled = await cursor(view)
          if (filled.length === 0) await this.close()
          return filled
        } catch (error) {
          if (error instanceof ClosedContent) throw error
          await this.close()
          throw this.#parts.fault(error)
        }
      },
      () => this.close(),
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#parts.release()
    const opened = this.#open
    this.#open = undefined
    await opened?.handle.close()
  }

  /** Returns a function that reads the next bytes of a range into a view; it returns no bytes after the last. */
  #cursor(first: number, last: number): (view: Bytes) => Promise<Bytes> {
    let at = 0
    /** The positions of the file `at` and of the next byte in the content. */
    let begin = 0
    let position = first
    return async view => {
      for (; position <= last; at += 1) {
        const size = this.#files[at]?.size ?? 0
        const wanted = Math.min(view.length, last - position + 1, begin + size - position)
        if (wanted > 0) {
          const handle = await this.#handleOf(at)
          const { bytesRead } = await handle.read(view, 0, wanted, position - begin)
          if (bytesRead === 0) throw shorter()
          position += bytesRead
          return view.subarray(0, bytesRead)
        }
        if (at >= this.#files.length) throw shorter()
        begin += size
      }
      return view.subarray(0, 0)
    }
  }

  /** Returns the open file `at`. Throws `ClosedContent`, and the error of the host. */
  async #handleOf(at: number): Promise<FileHandle> {
    if (this.#isClosed) throw new ClosedContent()
    if (this.#open?.at === at) return this.#open.handle
    const { path, size } = this.#files[at] ?? { path: '', size: 0 }
    const before = this.#open
    this.#open = undefined
    await before?.handle.close()
    const handle = await this.#parts.open(path, readOnly)
    try {
      const stats = await handle.stat()
      // The content may be closed while the file is opened, and then nothing else would close the file.
      if (this.#isClosed) throw new ClosedContent()
      requireWhole(path, size, stats)
    } catch (error) {
      await handle.close()
      throw error
    }
    this.#open = { at, handle }
    return handle
  }
}

/** A content was closed before its bytes were read. */
class ClosedContent extends Error {
  override readonly name = 'ClosedContent'

  constructor() {
    super('the content was closed before its bytes were read')
  }
}

function requireWhole(path: string, size: number, stats: Pick<Stats, 'isFile' | 'size'>): void {
  if (!stats.isFile() || stats.size !== size) throw altered(`${path} is no file of ${size} bytes`)
}

const shorter = () => altered('the content is shorter than its row says')
