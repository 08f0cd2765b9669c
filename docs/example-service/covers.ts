import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CoversHandlers } from './generated/handlers.ts'
import { coverTooLarge, noCover } from './problems.ts'
import type { Shelf } from './shelf.ts'

const chunkBytes = 65_536

/** Where covers lie: a file a book, of at most `maxBytes`. */
export interface CoverFolder {
  readonly path: string
  readonly maxBytes: number
}

/** What the library does with covers. They are never in memory as a whole, neither on their way in nor out. */
export function coverHandlers(shelf: Shelf, folder: CoverFolder): CoversHandlers {
  return {
    async uploadCover({ bookId, body }) {
      shelf.find(bookId)
      const part = join(folder.path, `${randomUUID()}.part`)
      try {
        await writeFile(part, bounded(body, folder.maxBytes), { flag: 'wx' })
        // It may have been deleted while the bytes came.
        shelf.find(bookId)
        const isNew = !(await exists(coverFile(folder, bookId)))
        await rename(part, coverFile(folder, bookId))
        return isNew ? { status: 201, headers: { Location: `/books/${bookId}/cover` } } : { status: 204 }
      } finally {
        await rm(part, { force: true })
      }
    },

    async downloadCover({ bookId }) {
      shelf.find(bookId)
      const file = await open(coverFile(folder, bookId)).catch(() => {
        throw noCover(bookId)
      })
      const { size, mtime } = await file.stat()
      return {
        status: 200,
        body: streamOf(file),
        headers: { 'Content-Length': size, 'Last-Modified': mtime.toUTCString() },
      }
    },
  }
}

/** Deletes the cover of a book that is gone, if it had one. */
export const forgetCover = (folder: CoverFolder, bookId: string): Promise<void> =>
  rm(coverFile(folder, bookId), { force: true })

const coverFile = (folder: CoverFolder, bookId: string): string => join(folder.path, `${bookId}.png`)

/** The bytes of an open file, read as they are asked for; the file is closed when the stream ends, however it does. */
function streamOf(file: FileHandle): ReadableStream<Uint8Array<ArrayBuffer>> {
  const read = async (): Promise<Uint8Array<ArrayBuffer>> => {
    const { buffer, bytesRead } = await file.read(new Uint8Array(chunkBytes))
    return buffer.subarray(0, bytesRead)
  }
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = await read().catch(async (error: unknown) => {
          await file.close()
          throw error
        })
        if (chunk.length > 0) return controller.enqueue(chunk)
        await file.close()
        controller.close()
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  )
}

/** The same chunks, asked for one by one; throws as soon as they are too many. */
async function* bounded(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw coverTooLarge(maxBytes)
    yield chunk
  }
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )
