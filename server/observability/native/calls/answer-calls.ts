import { parentPort, workerData } from 'node:worker_threads'
import type { FileFault } from '../files/telemetry-file.ts'
import type { Received, Sent, ThreadData } from './messages.ts'
import { sentError } from './sent-error.ts'

/** The parts of the calls of a thread that reads. */
export interface ReadParts {
  /** The folder for the telemetry of all workspaces. */
  readonly root: string
  /** Whether the call in progress is to end. */
  readonly isAborted: () => boolean
  /** Takes the faults of files of days, which are left out. */
  readonly report: (fault: FileFault) => void
}

/** Answers the calls that this thread gets, one at a time. */
export function answerCalls<Call>(make: (parts: ReadParts) => { run(call: Call): unknown }): void {
  const { abort, root }: ThreadData = workerData
  const port = parentPort
  const post = (message: Received, moved: readonly ArrayBuffer[] = []): void => port?.postMessage(message, moved)
  const calls = make({
    root,
    isAborted: () => abort !== undefined && Atomics.load(abort, 0) === 1,
    report: ({ message }) => post({ fault: message }),
  })
  port?.on('message', ({ call, id }: Sent<Call>) => {
    try {
      const result = calls.run(call)
      // The bytes of an answer are moved, not copied.
      post({ id, result }, result instanceof Uint8Array && result.buffer instanceof ArrayBuffer ? [result.buffer] : [])
    } catch (error) {
      post({ id, error: sentError(error) })
    }
  })
}
