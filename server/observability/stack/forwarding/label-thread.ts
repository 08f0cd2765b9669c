import { parentPort } from 'node:worker_threads'
import type { EndCall, Received, Sent } from '../../native/calls/messages.ts'
import { sentError } from '../../native/calls/sent-error.ts'
import { ownBytes } from '../../native/threads/engine-threads.ts'
import { labelRequest, type LabelCall } from './label-request.ts'

/** This thread labels requests on their way to stacks, one at a time. */

const post = (message: Received, moved: readonly ArrayBuffer[] = []): void => parentPort?.postMessage(message, moved)

parentPort?.on('message', ({ call, id }: Sent<EndCall | LabelCall>) => {
  try {
    if ('kind' in call) return post({ id, result: undefined })
    const { body, items } = labelRequest(call)
    const own = ownBytes(body)
    // The bytes of a request are moved, not copied.
    post({ id, result: { body: own, items } }, [own.buffer])
  } catch (error) {
    post({ id, error: sentError(error) })
  }
})
