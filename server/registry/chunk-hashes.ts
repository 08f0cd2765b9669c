import { createHash, type Hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ListedObject } from '../../domain/ports/storage.ts'
import type { DigestAlgorithm } from '../../domain/registry/values/digest.ts'

/** The number of uploads whose hashes are kept; the bytes of another upload are read again at its end. */
const most = 1000

/** A hash to which bytes are added. */
export interface ChunkHash {
  readonly algorithm: DigestAlgorithm
  readonly hash: Hash
}

type Versions = readonly Pick<ListedObject, 'versionId'>[]

/** Returns a text that is equal for the same versions of chunks alone. */
export const versionsOf = (chunks: Versions): string => chunks.map(({ versionId }) => versionId).join()

/** Returns the hash of nothing. */
export const newHash = (algorithm: DigestAlgorithm): ChunkHash => ({ algorithm, hash: createHash(algorithm) })

/** The hashes of uploads in chunks that this process has received, each for the very versions of the chunks. */
export class ChunkHashes {
  readonly #known = new LRUCache<string, ChunkHash & { readonly versions: string }>({ max: most })

  /** Returns the hash of the chunks of an upload; undefined if this process has not hashed all of them. */
  of(upload: string, algorithm: DigestAlgorithm, chunks: Versions): ChunkHash | undefined {
    const known = this.#known.get(upload)
    return known?.algorithm === algorithm && known.versions === versionsOf(chunks) ? known : undefined
  }

  remember(upload: string, hash: ChunkHash, chunks: Versions): void {
    this.#known.set(upload, { ...hash, versions: versionsOf(chunks) })
  }

  forget(upload: string): void {
    this.#known.delete(upload)
  }
}
