import { createHash, type Hash } from 'node:crypto'
import { createGzip, type Gzip } from 'node:zlib'
import { ApiError } from '../../../runtime/errors.ts'
import type { Chunks } from '../../../runtime/media.ts'
import type { ObjectPlace, Storage } from '../../ports/storage.ts'
import type { BatchLines } from './batch-lines.ts'
import { DestinationFailed } from './destination-failed.ts'

/** The reasons for which the bucket of a sink is gone. */
const absences: ReadonlySet<string> = new Set(['BUCKET_NOT_FOUND', 'BUCKET_DELETING'])

/**
 * Writes the lines of a batch as an object; writes nothing without lines. Rejects with `DestinationFailed`, and as
 * `BatchLines.chunks`.
 */
export async function writeObject(storage: Storage | undefined, place: ObjectPlace, lines: BatchLines): Promise<void> {
  if (storage === undefined) throw new DestinationFailed('DESTINATION_NOT_FOUND: storage is not served')
  const chunks = lines.chunks()
  const first = await chunks.next()
  if (first.done) return
  const digest = createHash('md5')
  const body = compressed(begun(first.value, chunks), digest)
  try {
    await storage.putObject(undefined, place, body, { contentType: 'application/gzip' })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // An earlier attempt has written the object, and the policy of the bucket protects it.
    if (error.reason === 'OBJECT_RETAINED' && (await isWritten(storage, place, digest.digest('hex')))) return
    const isAbsent = absences.has(error.reason)
    const reason = isAbsent ? 'DESTINATION_NOT_FOUND' : error.reason
    throw new DestinationFailed(`${reason}: ${error.message}`, isAbsent)
  }
}

async function isWritten(storage: Storage, place: ObjectPlace, md5: string): Promise<boolean> {
  return (await storage.statObject(undefined, place)).etag === md5
}

async function* begun(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

/** Compresses bytes by gzip, and adds the compressed bytes to a digest. An error of the bytes ends the iteration. */
async function* compressed(bytes: AsyncIterable<Uint8Array>, digest: Hash): Chunks {
  const gzip = createGzip()
  void feed(gzip, bytes)
  for await (const chunk of gzip) {
    const piece: Uint8Array<ArrayBuffer> = Uint8Array.from(chunk)
    digest.update(piece)
    yield piece
  }
}

/** Writes bytes into a compressor, at the pace of the reader of the compressed bytes. Never rejects. */
async function feed(gzip: Gzip, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of bytes)
      await new Promise<void>((resolve, reject) => {
        gzip.write(chunk, error => (error ? reject(error) : resolve()))
      })
    gzip.end()
  } catch (error) {
    gzip.destroy(error instanceof Error ? error : new Error('the lines cannot be read', { cause: error }))
  }
}
