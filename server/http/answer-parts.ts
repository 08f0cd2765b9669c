import { setImmediate as nextTurn } from 'node:timers/promises'
import { filledStream } from '../../runtime/body.ts'
import { released } from '../../runtime/media.ts'
import type { Dispatch } from '../../runtime/wire.ts'

/** Longer answers are sent in parts. */
const longBytes = 262_144

/**
 * Wraps a dispatch so that the bytes of a long answer are sent in parts, each in a turn of the event loop of its own: the
 * system takes many megabytes at once, which would hold the event loop up. The memory of `owned` bytes is released with
 * the last part, because it would otherwise stay until a garbage collection.
 */
export const inParts =
  (dispatch: Dispatch): Dispatch =>
  async request => {
    const answer = await dispatch(request)
    const { body, headers } = answer
    if (!(body instanceof Uint8Array) || body.length <= longBytes || request.method === 'HEAD') return answer
    headers['content-length'] = String(body.length)
    return { ...answer, body: partsOf(body) }
  }

function partsOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { length } = bytes
  let at = 0
  let isLeft = false
  const fill = async (view: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    await nextTurn()
    if (isLeft) return undefined
    const size = Math.min(view.length, length - at)
    if (size > 0) view.set(bytes.subarray(at, at + size))
    at += size
    if (at === length) released([bytes])
    return view.subarray(0, size)
  }
  const cancel = async (): Promise<void> => {
    isLeft = true
    released([bytes])
  }
  return filledStream(fill, cancel)
}
