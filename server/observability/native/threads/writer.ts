import type { Log } from '../../../log.ts'
import { CallingThread, ThreadEnded } from './calling-thread.ts'
import { interrupted, overloaded, unusable } from '../calls/engine-errors.ts'
import type { EndCall, ThreadData } from '../calls/messages.ts'
import { UnusableFile } from '../calls/sent-error.ts'

/** The largest numbers of calls and of bytes that wait for the thread. */
const mostCalls = 1000
const mostBytes = 128 * 1024 * 1024

/** The largest heap of the thread in MiB: it decodes requests of up to 64 MiB. */
const heapMib = 768

/** The parts of a writer. */
export interface WriterParts {
  /** The work of the thread, after its name, such as `writes telemetry`. */
  readonly work: string
  /** The data of the thread; absent: none. */
  readonly data?: ThreadData
  /** The program of the thread. */
  readonly program: URL
  readonly log: Pick<Log, 'error' | 'warn'>
}

/** A thread for the requests of senders, such as the thread that writes a signal; after a failure, a new thread begins. */
export class Writer<Call> {
  readonly #parts: WriterParts
  readonly #log: Pick<Log, 'error' | 'warn'>
  #thread: CallingThread<Call | EndCall> | undefined
  #calls = 0
  #bytes = 0

  constructor(parts: WriterParts) {
    this.#parts = parts
    this.#log = parts.log
  }

  /** The calls that wait, and the bytes of their requests. */
  get waiting(): { readonly calls: number; readonly bytes: number } {
    return { calls: this.#calls, bytes: this.#bytes }
  }

  /**
   * Sends a call, with a body whose memory the thread takes. Rejects with an error of the area: ENGINE_UNAVAILABLE if
   * the thread or the files cannot be used now.
   */
  async call(call: Call, body?: ArrayBuffer): Promise<unknown> {
    const bytes = body?.byteLength ?? 0
    if (body && (this.#calls >= mostCalls || this.#bytes + bytes > mostBytes)) throw overloaded()
    this.#calls += 1
    this.#bytes += bytes
    try {
      return await this.#running().call(call, body ? [body] : [])
    } catch (error) {
      if (error instanceof ThreadEnded) throw interrupted()
      if (!(error instanceof UnusableFile)) throw error
      this.#log.error({ fault: error.message }, 'a file of telemetry cannot be written')
      throw unusable()
    } finally {
      this.#calls -= 1
      this.#bytes -= bytes
    }
  }

  /** Ends the thread after the calls before; later calls begin a new one. */
  async end(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    if (thread === undefined) return
    await thread.call({ kind: 'end' }).catch((err: unknown) => {
      this.#log.warn({ err }, `the thread that ${this.#parts.work} did not end properly`)
    })
    await thread.terminate()
  }

  #running(): CallingThread<Call | EndCall> {
    if (this.#thread !== undefined) return this.#thread
    const { data, program, work } = this.#parts
    const thread = new CallingThread<Call | EndCall>({
      name: work,
      program,
      ...(data && { data }),
      heapMib,
      report: fault => this.#log.warn({ fault }, 'a file of telemetry cannot be used'),
    })
    this.#thread = thread
    void this.#forgetEnded(thread)
    return thread
  }

  async #forgetEnded(thread: CallingThread<Call | EndCall>): Promise<void> {
    const err = await thread.ended
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#log.error({ err }, `the thread that ${this.#parts.work} has failed, and is started again`)
  }
}
