import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { ContentFault, OpenContent } from '../../../domain/storage/contents/content-files.ts'
import type { ContentFile } from '../../../domain/storage/contents/contents-store.ts'

/** The number of bytes of one read. */
const readBytes = 131_072

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
            controller.error(this.#fault(error))
          }
        },
        cancel: () => this.close(),
      },
      { highWaterMark: 0 },
    )
  }

  async close(): Promise<void> {
    this.#release()
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
        if (bytesRead === 0) throw Object.assign(new Error('the file is shorter than its row says'), { code: 'ENOENT' })
        position += bytesRead
        yield piece.subarray(0, bytesRead)
      }
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
