import { createHash, type Hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { DigestAlgorithm } from '../../domain/registry/values/digest.ts'

/** The number of uploads whose hashes are kept; the file of another upload is read again at its end. */
const most = 1000

/** The hash of the first `size` bytes of an upload. */
interface Running {
  readonly algorithm: DigestAlgorithm
  readonly hash: Hash
  size: number
}

/** The hashes of uploads in progress, which this process computes as the bytes arrive. */
export class RunningHashes {
  readonly #running = new LRUCache<string, Running>({ max: most })

  /** Returns the hash of the first `size` bytes of an upload; undefined if this process has not hashed all of them. */
  continued(upload: string, algorithm: DigestAlgorithm, size: number): Running | undefined {
    const known = this.#running.get(upload)
    if (known?.algorithm === algorithm && known.size === size) return known
    if (size > 0) return undefined
    const begun = { algorithm, hash: createHash(algorithm), size: 0 }
    this.#running.set(upload, begun)
    return begun
  }

  forget(upload: string): void {
    this.#running.delete(upload)
  }
}
