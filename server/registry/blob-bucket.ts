import { LRUCache } from 'lru-cache'
import type { ListedObject } from '../../domain/ports/storage.ts'
import {
  UploadChanged,
  type Appended,
  type Appending,
  type BlobStore,
  type OpenBlob,
  type StoredBytes,
} from '../../domain/registry/blobs/blob-store.ts'
import { ociError } from '../../domain/registry/plane/oci-errors.ts'
import type { DigestAlgorithm } from '../../domain/registry/values/digest.ts'
import { ApiError } from '../../runtime/errors.ts'
import type { Chunks } from '../../runtime/media.ts'
import { TurnShares } from '../storage/files/sums.ts'
import { ArrivingPart } from './arriving-part.ts'
import { blobStoreUnavailable } from './blob-store-faults.ts'
import { ChunkHashes, newHash, versionsOf, type ChunkHash } from './chunk-hashes.ts'
import { BucketObjects, type BucketParts } from './bucket-objects.ts'
import { Turns } from './turns.ts'

/** The number of digits of an offset in the name of a chunk, so that names sort as numbers. */
const offsetDigits = 16

/** The largest number of chunks of an upload, as of a multipart upload of S3. */
const mostChunks = 10_000

/** The number of uploads that are sealed and not kept yet; another upload is sealed again by its client. */
const mostSealed = 1000

/**
 * The blobs in a bucket: blobs are objects `blobs/<algorithm>/<2 hex>/<hex>.<id>`. An object cannot be appended to, so each
 * call appends an object `uploads/<id>/<offset>`, and the end of the upload joins these objects without copying a byte. Any
 * server can go on with an upload, because all state is in the bucket; a running hash only saves a second reading.
 */
export class BlobBucket implements BlobStore {
  readonly #objects: BucketObjects
  readonly #hashes = new ChunkHashes()
  /** The versions of the chunks of sealed uploads, which have the computed digest. */
  readonly #sealed = new LRUCache<string, string>({ max: mostSealed })
  readonly #shares = new TurnShares()
  readonly #turns = new Turns()

  constructor(parts: BucketParts) {
    this.#objects = new BucketObjects(parts)
  }

  append(upload: string, body: Chunks, appending: Appending): Promise<Appended> {
    return this.#turns.run(upload, async () => {
      const { algorithm, first, isBegun, maxBytes, tooLong } = appending
      const chunks = await this.#chunksOf(upload)
      const size = sizeOf(chunks)
      if (isBegun === true && size === 0) throw new UploadChanged(`upload ${upload} has no bytes any more`)
      if (first !== undefined && first !== size) return { size, isMisplaced: true }
      if (chunks.length === mostChunks) throw tooManyChunks()
      const hash = await this.#hashOf(upload, algorithm, chunks)
      // Until the bytes are stored, the hash has more bytes than the chunks.
      this.#hashes.forget(upload)
      const add = (chunk: Uint8Array) => this.#update(hash, chunk)
      const part = new ArrivingPart(body, { maxBytes: maxBytes - size, tooLong, add })
      try {
        const isEmpty = !(await part.begins())
        const stored = isEmpty ? chunks : [...chunks, await this.#objects.put(chunkName(upload, size), part)]
        if (hash) this.#hashes.remember(upload, hash, stored)
        part.requireWhole()
        return { size: sizeOf(stored), isMisplaced: false }
      } catch (error) {
        part.requireWhole()
        if (!(error instanceof ApiError) || error.reason !== 'OBJECT_ALREADY_EXISTS') throw error
        // Another server has appended to the upload meanwhile.
        return { size: sizeOf(await this.#chunksOf(upload)), isMisplaced: true }
      } finally {
        await part.end()
      }
    })
  }

  sizeOf(upload: string): Promise<number> {
    return this.#turns.run(upload, async () => sizeOf(await this.#chunksOf(upload)))
  }

  seal(upload: string, algorithm: DigestAlgorithm): Promise<{ readonly hex: string; readonly size: number }> {
    return this.#turns.run(upload, async () => {
      const chunks = await this.#chunksOf(upload)
      const known = this.#hashes.of(upload, algorithm, chunks)
      const hex = known ? known.hash.copy().digest('hex') : await this.#hexOf(algorithm, chunks)
      this.#sealed.set(upload, versionsOf(chunks))
      return { hex, size: sizeOf(chunks) }
    })
  }

  keep(upload: string, file: string, size: number): Promise<void> {
    return this.#turns.run(upload, async () => {
      const chunks = await this.#chunksOf(upload)
      const isSealed = this.#sealed.get(upload) === versionsOf(chunks) && sizeOf(chunks) === size
      if (!isSealed) throw changed(upload)
      if (size === 0) await this.#objects.put(file, new Blob().stream())
      else if (!(await this.#objects.join(file, chunks))) throw changed(upload)
      this.#forget(upload)
    })
  }

  discard(upload: string): Promise<void> {
    return this.#turns.run(upload, async () => {
      this.#forget(upload)
      const left: ListedObject[] = []
      for await (const object of this.#objects.list(`uploads/${upload}/`)) left.push(object)
      // The chunks that are left are always the first ones, wherever the deletion stops.
      for (const object of left.toReversed()) await this.#objects.removeListed(object)
    })
  }

  async open(file: string, size: number): Promise<OpenBlob | undefined> {
    const opened = await this.#objects.open(file)
    if (opened === undefined || opened.size === size) return opened
    await opened.close()
    throw blobStoreUnavailable('lost')
  }

  remove(file: string): Promise<void> {
    return this.#objects.remove(file)
  }

  async *olderThan(timeMs: number): AsyncGenerator<StoredBytes, void, undefined> {
    let told = ''
    for await (const { createTime, object } of this.#objects.list('uploads/')) {
      const [, upload = ''] = object.split('/')
      if (upload === told || Date.parse(createTime) >= timeMs) continue
      told = upload
      yield { upload }
    }
    for await (const { createTime, object } of this.#objects.list('blobs/'))
      if (Date.parse(createTime) < timeMs) yield { file: object }
  }

  #forget(upload: string): void {
    this.#hashes.forget(upload)
    this.#sealed.delete(upload)
  }

  /** Returns the chunks of an upload, each of which begins where the one before ends. */
  async #chunksOf(upload: string): Promise<readonly ListedObject[]> {
    const chunks: ListedObject[] = []
    let size = 0
    for await (const chunk of this.#objects.list(`uploads/${upload}/`)) {
      if (chunk.object !== chunkName(upload, size)) break
      chunks.push(chunk)
      size += chunk.size
    }
    return chunks
  }

  /**
   * Returns the hash of the chunks, to go on with; undefined to hash the bytes at the end of the upload. Storage computes
   * the SHA-256 of each object, so the hash of an upload in one chunk is that of storage, and the hash of another upload
   * begins with its second chunk.
   */
  async #hashOf(
    upload: string,
    algorithm: DigestAlgorithm,
    chunks: readonly ListedObject[],
  ): Promise<ChunkHash | undefined> {
    const begin = algorithm === 'sha256' ? 1 : 0
    if (chunks.length > begin) return this.#hashes.of(upload, algorithm, chunks)
    return chunks.length === begin ? this.#hashed(algorithm, chunks) : undefined
  }

  async #hexOf(algorithm: DigestAlgorithm, chunks: readonly ListedObject[]): Promise<string> {
    const [only] = chunks
    const known = chunks.length === 1 && algorithm === 'sha256' && only ? await this.#sha256Of(only) : undefined
    return known ?? (await this.#hashed(algorithm, chunks)).hash.digest('hex')
  }

  async #sha256Of(chunk: ListedObject): Promise<string | undefined> {
    const opened = await this.#objects.openListed(chunk)
    await opened.close()
    return opened.sha256
  }

  /** Reads chunks, and returns their hash. */
  async #hashed(algorithm: DigestAlgorithm, chunks: readonly ListedObject[]): Promise<ChunkHash> {
    const hash = newHash(algorithm)
    for (const chunk of chunks) await this.#objects.readListed(chunk, bytes => this.#update(hash, bytes))
    return hash
  }

  async #update(hash: ChunkHash | undefined, bytes: Uint8Array): Promise<void> {
    if (hash) await this.#shares.run(() => void hash.hash.update(bytes))
  }
}

const chunkName = (upload: string, offset: number): string =>
  `uploads/${upload}/${String(offset).padStart(offsetDigits, '0')}`

const sizeOf = (chunks: readonly Pick<ListedObject, 'size'>[]): number =>
  chunks.reduce((sum, { size }) => sum + size, 0)

const changed = (upload: string) => new UploadChanged(`upload ${upload} has other bytes than those that were sealed`)

const tooManyChunks = (): ApiError =>
  ociError('BLOB_UPLOAD_INVALID', `an upload has at most ${mostChunks} chunks; start another one with larger chunks`)
