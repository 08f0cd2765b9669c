import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { ContentFault, OpenContent } from '../../../domain/storage/contents/content-files.ts'
import { filledStream } from '../../../runtime/body.ts'
import type { ContentFile } from '../../../domain/storage/contents/contents-store.ts'

type Bytes = Uint8Array<ArrayBuffer>

const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)

/** Reads the bytes of files one after the other; one file is open at a time. The paths are paths of the host. */
export class ContentReader implements OpenContent {
  readonly #files: readonly ContentFile[]
  readonly #release: () => void
  readonly #fault: (error: unknown) => ContentFault
  #open: { readonly at: number; readonly handle: FileHandle } | undefined

  constructor(files: readonly ContentFile[], release: () => void, fault: (error: unknown) => ContentFault) {
    this.#files = files
    this.#release = release
    this.#fault = fault
  }

  /** Opens the first file. */
  async openFirst(): Promise<void> {
    try {
      await this.#handleOf(0)
    } catch (error) {
      this.#release()
      throw this.#fault(error)
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
          await this.close()
          throw this.#fault(error)
        }
      },
      () => this.close(),
    )
  }

  async close(): Promise<void> {
    this.#release()
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

  async #handleOf(at: number): Promise<FileHandle> {
    if (this.#open?.at === at) return this.#open.handle
    const { path } = this.#files[at] ?? { path: '' }
    const before = this.#open
    this.#open = undefined
    await before?.handle.close()
    const handle = await open(path, readOnly)
    this.#open = { at, handle }
    return handle
  }
}

const shorter = () => Object.assign(new Error('the content is shorter than its row says'), { code: 'ENOENT' })
