import type { MessagePort } from 'node:worker_threads'
import type { FileFault } from '../files/telemetry-file.ts'
import type { Received, Sent } from './messages.ts'
import { sentError } from './sent-error.ts'

/** Answers the calls that arrive at a port, one at a time; `callsOf` gets the function that reports faults of files. */
export function answerCalls<Call>(
  port: MessagePort,
  callsOf: (report: (fault: FileFault) => void) => { run(call: Call): unknown },
): void {
  const post = (message: Received): void => port.postMessage(message)
  const calls = callsOf(({ message }) => post({ fault: message }))
  port.on('message', ({ call, id }: Sent<Call>) => {
    try {
      post({ id, result: calls.run(call) })
    } catch (error) {
      post({ id, error: sentError(error) })
    }
  })
}
