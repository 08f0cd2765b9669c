import { parentPort, workerData } from 'node:worker_threads'
import { QueryCalls } from '../reading/query-calls.ts'
import type { ReadCall, Received, Sent, ThreadData } from '../calls/messages.ts'
import { sentError } from '../calls/sent-error.ts'
import { lowerPriority } from './thread-priority.ts'

/** This thread reads metrics, one call at a time. Its calls yield to the other work of the server. */
lowerPriority()

const { abort, root }: ThreadData = workerData
const port = parentPort
const post = (message: Received, moved: readonly ArrayBuffer[] = []): void => port?.postMessage(message, moved)
const calls = new QueryCalls({
  root,
  isAborted: () => abort !== undefined && Atomics.load(abort, 0) === 1,
  report: ({ message }) => post({ fault: message }),
})

port?.on('message', ({ call, id }: Sent<ReadCall>) => {
  try {
    const result = calls.run(call)
    // The bytes of an answer are moved, not copied.
    post({ id, result }, result instanceof Uint8Array && result.buffer instanceof ArrayBuffer ? [result.buffer] : [])
  } catch (error) {
    post({ id, error: sentError(error) })
  }
})
