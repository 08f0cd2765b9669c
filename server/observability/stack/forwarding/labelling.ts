import type { LabelledRequest } from '../../../../domain/observability/stacks/forwarding/label-protobuf.ts'
import type { Log } from '../../../log.ts'
import { programBeside } from '../../native/threads/calling-thread.ts'
import { ownBytes } from '../../native/threads/engine-threads.ts'
import { Writer } from '../../native/threads/writer.ts'
import type { LabelCall } from './label-request.ts'

/**
 * Labels the requests of senders in a thread of its own: a request of 64 MiB takes seconds, for which other calls of the
 * server must not wait. The thread begins with the first request.
 */
export class Labelling {
  readonly #writer: Writer<LabelCall>

  constructor(log: Pick<Log, 'error' | 'warn'>) {
    const program = programBeside(import.meta.url, 'label-thread')
    this.#writer = new Writer({ work: 'labels telemetry for stacks', log, program })
  }

  /**
   * Returns what `labelRequest` returns, and takes the memory of the body. Rejects with its errors, and with
   * ENGINE_UNAVAILABLE if too many requests wait.
   */
  async label(call: LabelCall): Promise<LabelledRequest> {
    const body = ownBytes(call.sent.body)
    const own = { ...call, sent: { ...call.sent, body } } as LabelCall
    // The thread sends the results of these calls only.
    return (await this.#writer.call(own, body.buffer)) as LabelledRequest
  }

  async end(): Promise<void> {
    await this.#writer.end()
  }
}
