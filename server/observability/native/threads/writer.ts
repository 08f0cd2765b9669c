import type { Log } from '../../../log.ts'
import { CallingThread, programBeside, ThreadEnded } from './calling-thread.ts'
import { interrupted, overloaded, unusable } from './engine-errors.ts'
import type { WriteCall } from '../calls/messages.ts'
import { UnusableFile } from '../calls/sent-error.ts'

/** The largest numbers of calls and of bytes that wait for the thread. */
const mostCalls = 1000
const mostBytes = 128 * 1024 * 1024

/** The largest heap of the thread in MiB: it decodes requests of up to 64 MiB. */
const heapMib = 768

/** The thread that writes all metrics; a new thread begins after one that has failed. */
export class Writer {
  readonly #root: string
  readonly #log: Pick<Log, 'error' | 'warn'>
  #thread: CallingThread<WriteCall> | undefined
  #calls = 0
  #bytes = 0

  constructor(root: string, log: Pick<Log, 'error' | 'warn'>) {
    this.#root = root
    this.#log = log
  }

  /** The calls that wait, and the bytes of their requests. */
  get waiting(): { readonly calls: number; readonly bytes: number } {
    return { calls: this.#calls, bytes: this.#bytes }
  }

  /**
   * Sends a call, with a body whose memory the thread takes. Rejects with an error of the area: ENGINE_UNAVAILABLE if
   * the thread or the files cannot be used now.
   */
  async call(call: WriteCall, body?: ArrayBuffer): Promise<unknown> {
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
      this.#log.warn({ err }, 'the thread that writes telemetry did not end properly')
    })
    await thread.terminate()
  }

  #running(): CallingThread<WriteCall> {
    if (this.#thread !== undefined) return this.#thread
    const thread = new CallingThread<WriteCall>({
      name: 'telemetry writer',
      program: programBeside(import.meta.url, 'writer-thread'),
      data: { root: this.#root },
      heapMib,
      report: fault => this.#log.warn({ fault }, 'a file of telemetry cannot be used'),
    })
    this.#thread = thread
    void this.#forgetEnded(thread)
    return thread
  }

  async #forgetEnded(thread: CallingThread<WriteCall>): Promise<void> {
    await thread.ended
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#log.error({}, 'the thread that writes telemetry has failed, and is started again')
  }
}
