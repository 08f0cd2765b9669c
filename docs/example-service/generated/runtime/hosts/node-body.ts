// Copied by ninefold. Do not edit: generate writes it again.

import { owned } from '../media.ts'

/** The members of node:http's `IncomingMessage` that the host uses. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly httpVersion: string
  readonly rawHeaders: readonly string[]
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly destroyed: boolean
  readonly readableEnded: boolean
  destroy(): unknown
  on(event: string, listener: (chunk: Uint8Array<ArrayBuffer>) => void): unknown
  pause(): unknown
  resume(): unknown
}

/** The limits in bytes and milliseconds for reading a refused body after the answer. */
const discarded = { bytes: 16_777_216, milliseconds: 2000 } as const

/**
 * Iterates over the chunks of a body on demand. Node's own iterator costs as much as the rest of a call, and closes the
 * connection if the loop ends early, although the answer still needs the connection.
 */
export class NodeBody implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  readonly #req: NodeRequest
  readonly #lost: () => void
  readonly #proceed: () => void
  readonly #queue: Uint8Array<ArrayBuffer>[] = []
  #wake: (() => void) | undefined
  #isOpen = false
  #isLeft = false

  /** Calls `proceed` on the first demand for the body, and `lost` if the body is demanded but will not come. */
  constructor(req: NodeRequest, lost: () => void, proceed: () => void) {
    this.#req = req
    this.#lost = lost
    this.#proceed = proceed
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array<ArrayBuffer>, undefined>> {
    if (!this.#isOpen) this.#open()
    while (this.#queue.length === 0 && !this.#req.readableEnded) {
      if (this.#req.destroyed || this.#isLeft) {
        this.#lost()
        throw new Error('the call ended before its body had arrived')
      }
      this.#req.resume()
      await new Promise<void>(resolve => (this.#wake = resolve))
    }
    const value = this.#queue.shift()
    return value === undefined ? { done: true, value } : { done: false, value }
  }

  /** Discards the rest of the body as it arrives, so that the connection can be reused. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isLeft = true
    this.#queue.length = 0
    this.#wake?.()
    if (!this.#req.readableEnded) this.#req.resume()
    return { done: true, value: undefined }
  }

  /** Whether further bytes may arrive. */
  get isArriving(): boolean {
    return !this.#req.readableEnded && !this.#req.destroyed
  }

  /** Reads and discards the rest of the body; gives up if the rest is too large or too slow. */
  async discard(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, discarded.milliseconds)
    let bytes = 0
    this.#req.on('data', chunk => {
      bytes += chunk.length
      if (bytes > discarded.bytes) resolve()
    })
    for (const event of ['end', 'error', 'close']) this.#req.on(event, () => resolve())
    await this.return()
    await promise
    clearTimeout(timer)
  }

  /** Closes the connection unless the whole body has arrived. */
  cut(): void {
    if (this.isArriving) this.#req.destroy()
  }

  #open(): void {
    this.#isOpen = true
    this.#proceed()
    const wake = (): void => this.#wake?.()
    this.#req.on('data', chunk => {
      if (this.#isLeft) return
      this.#queue.push(owned(chunk))
      this.#req.pause()
      wake()
    })
    for (const event of ['end', 'error', 'close']) this.#req.on(event, wake)
  }
}
