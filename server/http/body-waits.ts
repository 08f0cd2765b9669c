import type { WireRequest } from '../../runtime/wire.ts'

type Chunk = Uint8Array<ArrayBuffer>

/** Runs a wait with actions before and after the wait, and returns its result. */
export type AroundWait = <T>(wait: () => Promise<T>) => Promise<T>

/** Returns a request in which each wait for further bytes of the body goes through `around`. */
export function outsideWork(request: WireRequest, around: AroundWait): WireRequest {
  const { body } = request
  if (body === undefined) return request
  return { ...request, body: { [Symbol.asyncIterator]: () => waitingAround(body[Symbol.asyncIterator](), around) } }
}

const waitingAround = (chunks: AsyncIterator<Chunk>, around: AroundWait): AsyncIterator<Chunk> => ({
  next: () => around(() => chunks.next()),
  return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
})
