import { parentPort, workerData } from 'node:worker_threads'
import { QueryCalls } from '../reading/query-calls.ts'
import type { ReadCall, Received, Sent, ThreadData } from '../calls/messages.ts'
import { sentError } from '../calls/sent-error.ts'

/** This thread reads metrics, one call at a time. */

const { abort, root }: ThreadData = workerData
const port = parentPort
const post = (message: Received): void => port?.postMessage(message)
const calls = new QueryCalls({
  root,
  isAborted: () => abort !== undefined && Atomics.load(abort, 0) === 1,
  report: ({ message }) => post({ fault: message }),
})

port?.on('message', ({ call, id }: Sent<ReadCall>) => {
  try {
    post({ id, result: calls.run(call) })
  } catch (error) {
    post({ id, error: sentError(error) })
  }
})
