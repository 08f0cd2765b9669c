// Copied by ninefold. Do not edit: generate writes it again.

/** What is used of node:http's `IncomingMessage`. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly rawHeaders: readonly string[]
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly destroyed: boolean
  readonly readableEnded: boolean
  destroy(): unknown
  on(event: string, listener: (chunk: Uint8Array<ArrayBuffer>) => void): unknown
  pause(): unknown
  resume(): unknown
}

/** How much of a refused body is read after the answer, and for how long. */
const discarded = { bytes: 16_777_216, milliseconds: 2000 } as const

/**
 * The chunks of a body as they are asked for. Unlike Node's own iterator, which costs as much as the rest of a call,
 * leaving it early does not end the connection that the answer must still go over.
 */
export class NodeBody implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  readonly #req: NodeRequest
  readonly #lost: () => void
  readonly #proceed: () => void
  readonly #queue: Uint8Array<ArrayBuffer>[] = []
  #wake: (() => void) | undefined
  #isOpen = false
  #isLeft = false

  /** `proceed` is called when the body is first asked for, `lost` when it is asked for and will not come. */
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

  /** What is left is discarded as it arrives, so that the connection can go on. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isLeft = true
    this.#queue.length = 0
    this.#wake?.()
    if (!this.#req.readableEnded) this.#req.resume()
    return { done: true, value: undefined }
  }

  /** Whether bytes of it are still to come. */
  get isArriving(): boolean {
    return !this.#req.readableEnded && !this.#req.destroyed
  }

  /** Reads what is left and drops it; gives up on a body that is too large or too slow. */
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

  /** Closes the connection unless all of it has come. */
  cut(): void {
    if (this.isArriving) this.#req.destroy()
  }

  #open(): void {
    this.#isOpen = true
    this.#proceed()
    const wake = (): void => this.#wake?.()
    this.#req.on('data', chunk => {
      if (this.#isLeft) return
      this.#queue.push(chunk)
      this.#req.pause()
      wake()
    })
    for (const event of ['end', 'error', 'close']) this.#req.on(event, wake)
  }
}
