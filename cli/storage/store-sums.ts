import { ApiError } from '../../runtime/errors.ts'

/**
 * The checksums that the store of a bucket compares. Stores of the engine `s3` may lack SHA-256: the first refusal tells,
 * and is remembered for the bucket.
 */
export class StoreSums {
  #hasSha256 = true

  /** Makes a call with a SHA-256, and again without it for a store that compares none. */
  async call<R>(ask: (hasSha256: boolean) => Promise<R>): Promise<R> {
    if (!this.#hasSha256) return ask(false)
    try {
      return await ask(true)
    } catch (error) {
      if (!lacks(error, 'CHECKSUM_SHA256')) throw error
      this.#hasSha256 = false
      return ask(false)
    }
  }

  get hasSha256(): boolean {
    return this.#hasSha256
  }
}

/** Whether an error says that a store has no function of this name. */
export const lacks = (error: unknown, capability: string): boolean =>
  error instanceof ApiError &&
  error.reason === 'ENGINE_CAPABILITY_UNSUPPORTED' &&
  error.metadata['capability'] === capability
