import type { Layout } from './layout.ts'
import { StoreReader } from './reader.ts'

/** The reads of one transaction on its connection; after `end` all of them throw. */
export class ScopedReader extends StoreReader {
  #isOpen = true

  get isOpen(): boolean {
    return this.#isOpen
  }

  end(): void {
    this.#isOpen = false
  }

  protected override layoutOf(collection: { readonly name: string }): Layout {
    if (!this.#isOpen) throw new Error('the transaction has ended; its calls must be awaited inside it')
    return super.layoutOf(collection)
  }
}
