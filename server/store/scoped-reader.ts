import type { Layout } from './layout.ts'
import { StoreReader } from './reader.ts'

/** The reads of one transaction on its connection. All reads throw after the end of `within`. */
export class ScopedReader extends StoreReader {
  #isOpen = true

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Runs a function that uses this reader, returns its result, and ends the reader. */
  async within<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work()
    } finally {
      this.#isOpen = false
    }
  }

  protected override layoutOf(collection: { readonly name: string }): Layout {
    if (!this.#isOpen) throw new Error('the transaction has ended; its calls must be awaited inside it')
    return super.layoutOf(collection)
  }
}
