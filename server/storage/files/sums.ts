import { createHash, type Hash } from 'node:crypto'
import type { Digests } from '../../../domain/storage/contents/content-files.ts'
import { crc32c } from '../../../domain/resources/crc32c.ts'

/** The time in milliseconds for which checksums are computed in one turn of the event loop. */
const turnMs = 4

/**
 * Shares the turns of the event loop between bodies: a turn may have a chunk of each of hundreds of bodies, and other
 * calls would wait until all their checksums are computed.
 */
export class TurnShares {
  #spentMs = 0
  #next: Promise<void> | undefined

  /** Runs some work in a turn that has time left, and returns its result. */
  async run<T>(work: () => T): Promise<T> {
    while (this.#spentMs >= turnMs) await this.#turn()
    const beganMs = performance.now()
    const result = work()
    this.#spentMs += performance.now() - beganMs
    // The next turn has all its time again.
    void this.#turn()
    return result
  }

  #turn(): Promise<void> {
    this.#next ??= new Promise(resolve =>
      setImmediate(() => {
        this.#spentMs = 0
        this.#next = undefined
        resolve()
      }),
    )
    return this.#next
  }
}

/** The checksums of a body, computed as its bytes arrive. */
export class Sums {
  readonly #shares: TurnShares
  readonly #md5: Hash = createHash('md5')
  readonly #sha256: Hash = createHash('sha256')
  #crc32c = 0

  constructor(shares: TurnShares) {
    this.#shares = shares
  }

  /** Adds bytes, which must stay as they are until the promise resolves. Wait for it before the next bytes. */
  add(chunk: Uint8Array): Promise<void> {
    return this.#shares.run(() => {
      this.#md5.update(chunk)
      this.#sha256.update(chunk)
      this.#crc32c = crc32c(chunk, this.#crc32c)
    })
  }

  end(): Digests {
    return { md5: this.#md5.digest('hex'), sha256: this.#sha256.digest('base64'), crc32c: this.#crc32c }
  }
}
