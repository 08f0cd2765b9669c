import type { WireRequest } from '../../runtime/wire.ts'

type Chunk = Uint8Array<ArrayBuffer>

/** Runs a wait, and whatever is to be done around it. */
export type AroundWait = <T>(wait: () => Promise<T>) => Promise<T>

/** A request each of whose waits for the rest of its body goes through `around`. */
export const outsideWork = (request: WireRequest, around: AroundWait): WireRequest =>
  new UnhurriedRequest(request, around)

class UnhurriedRequest implements WireRequest {
  readonly method: string
  readonly target: string
  readonly headers: WireRequest['headers']
  readonly body: AsyncIterable<Chunk> | undefined
  readonly #request: WireRequest

  constructor(request: WireRequest, around: AroundWait) {
    const { body, headers, method, target } = request
    this.method = method
    this.target = target
    this.headers = headers
    this.body = body && { [Symbol.asyncIterator]: () => waitingAround(body[Symbol.asyncIterator](), around) }
    this.#request = request
  }

  /** Made by the host when it is first asked for. */
  get signal(): AbortSignal {
    return this.#request.signal
  }

  get clientAddress(): string {
    return this.#request.clientAddress
  }
}

const waitingAround = (chunks: AsyncIterator<Chunk>, around: AroundWait): AsyncIterator<Chunk> => ({
  next: () => around(() => chunks.next()),
  return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
})
