import { Worker } from 'node:worker_threads'
import type { Received, Sent } from '../calls/messages.ts'
import { receivedError } from '../calls/sent-error.ts'

/** The heap of the new objects of a thread in MiB, all of which stays in memory: most samples lie in arrays beside the heap. */
const youngMib = 8

/** The parts of a thread that answers calls. */
export interface ThreadParts {
  readonly name: string
  readonly program: URL
  /** The data of the thread; absent: none. */
  readonly data?: object
  /** The largest heap of the thread in MiB. */
  readonly heapMib: number
  /** Takes the fault of a file that the thread cannot use. */
  readonly report: (fault: string) => void
}

interface OpenCall {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The error of the calls of a thread that has ended. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
  /** Whether the thread has used more memory than it may. */
  readonly isOutOfMemory: boolean

  constructor(cause: unknown) {
    super('the thread of the calls ended', { cause })
    this.isOutOfMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
  }
}

/** A thread that answers calls of one type in any order. */
export class CallingThread<Call> {
  /** Resolves once the thread has ended, with the error that ended it; undefined if the thread was terminated. */
  readonly ended: Promise<unknown>
  readonly #worker: Worker
  readonly #calls = new Map<number, OpenCall>()
  #lastId = 0
  #isEnded = false

  constructor({ data, heapMib, name, program, report }: ThreadParts) {
    this.#worker = new Worker(program, {
      workerData: data,
      name,
      resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: youngMib },
    })
    this.#worker.unref()
    this.#worker.on('message', (message: Received) => {
      if ('fault' in message) report(message.fault)
      else this.#settle(message)
    })
    let cause: unknown
    this.#worker.on('error', (error: unknown) => (cause = error))
    this.ended = new Promise(resolve => {
      this.#worker.once('exit', () => {
        this.#isEnded = true
        for (const { reject } of this.#calls.values()) reject(new ThreadEnded(cause))
        this.#calls.clear()
        resolve(cause)
      })
    })
  }

  /** Whether the thread has ended: further calls are rejected. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Sends a call, and gives the thread the memory of `moved`. Rejects with the error of the call, or `ThreadEnded`. */
  call(call: Call, moved: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.#isEnded) return Promise.reject(new ThreadEnded(undefined))
    this.#lastId += 1
    const message: Sent<Call> = { id: this.#lastId, call }
    const { promise, reject, resolve } = Promise.withResolvers<unknown>()
    this.#calls.set(message.id, { resolve, reject })
    this.#worker.postMessage(message, moved)
    return promise
  }

  /** Ends the thread wherever it is; its calls are rejected. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle(message: Exclude<Received, { fault: string }>): void {
    const call = this.#calls.get(message.id)
    this.#calls.delete(message.id)
    if ('error' in message) call?.reject(receivedError(message.error))
    else call?.resolve(message.result)
  }
}

/** Returns the program of a thread beside a module: `name` without its ending, which compiled code changes. */
export const programBeside = (module: string, name: string): URL =>
  new URL(module.replace(/[^/]*\.([^.]*)$/, `${name}.$1`))
