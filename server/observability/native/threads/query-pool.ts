import { queryLimitExceeded, queryTimeout } from '../../../../output/observability/errors.ts'
import type { Log } from '../../../log.ts'
import { CallingThread, ThreadEnded } from './calling-thread.ts'
import { crowded, interrupted, overloaded, unusable } from '../calls/engine-errors.ts'
import { UnusableFile } from '../calls/sent-error.ts'

/** The largest numbers of calls of callers that wait for a thread, in all and in one workspace. */
const mostWaiting = 200
const mostWaitingOfWorkspace = 64

/** The largest heap of a thread in MiB. */
const heapMib = 256

/** The time that a call has to end after its deadline, before its thread is ended, in milliseconds. */
const graceMs = 1000

/** A call that a pool runs. */
export interface PoolCall {
  readonly workspace: string
}

/** How a pool runs a call. */
export interface CallTerms {
  /** The longest time of the call with its wait, in milliseconds. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Whether the platform works for itself; absent: a caller of the workspace waits. */
  readonly isInternal?: boolean
}

/** The parts of a pool. */
export interface PoolParts {
  /** The folder for the telemetry of all workspaces. */
  readonly root: string
  /** The number of threads. */
  readonly size: number
  /** The program of the threads. */
  readonly program: URL
  readonly log: Pick<Log, 'error' | 'warn'>
}

/** A call on its way. */
interface QueuedCall<Call> {
  readonly call: Call
  readonly isInternal: boolean
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  /** The thread that runs the call; undefined while the call waits. */
  slot?: Slot<Call> | undefined
}

/** A thread and its call. */
interface Slot<Call> {
  readonly abort: Int32Array<SharedArrayBuffer>
  thread: CallingThread<Call> | undefined
  running: QueuedCall<Call> | undefined
}

/**
 * The threads that read a signal. Each runs one call at a time; the calls of a workspace prefer one thread, which knows its
 * files. A thread that is free takes a call of the workspace with the fewest running calls, so that a workspace with many
 * calls holds up the others for the rest of one call at most.
 */
export class QueryPool<Call extends PoolCall> {
  readonly #parts: PoolParts
  readonly #log: Pick<Log, 'error' | 'warn'>
  readonly #slots: readonly Slot<Call>[]
  readonly #waiting: QueuedCall<Call>[] = []

  constructor(parts: PoolParts) {
    this.#parts = parts
    this.#log = parts.log
    this.#slots = Array.from({ length: parts.size }, () => ({
      abort: new Int32Array(new SharedArrayBuffer(4)),
      thread: undefined,
      running: undefined,
    }))
  }

  /** The numbers of calls that run and that wait. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#slots.filter(({ running }) => running !== undefined).length, waiting: this.#waiting.length }
  }

  /**
   * Runs a call. Rejects with an error of the area: RATE_LIMITED if too many callers of the workspace wait, QUERY_TIMEOUT
   * after `timeoutMs`, QUERY_LIMIT_EXCEEDED if the thread uses too much memory, ENGINE_UNAVAILABLE; and with the reason of
   * an aborted signal.
   */
  async call(call: Call, { isInternal = false, signal, timeoutMs }: CallTerms): Promise<unknown> {
    signal.throwIfAborted()
    if (!isInternal) this.#admit(call)
    const { promise, reject, resolve } = Promise.withResolvers<unknown>()
    const queued: QueuedCall<Call> = { call, isInternal, resolve, reject }
    const stop = (error: unknown): void => {
      reject(error)
      this.#stop(queued)
    }
    const timer = setTimeout(() => stop(queryTimeout('the query took longer than its timeout')), timeoutMs)
    const aborted = (): void => stop(signal.reason)
    signal.addEventListener('abort', aborted)
    this.#waiting.push(queued)
    this.#next()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', aborted)
    }
  }

  /** Ends all threads and calls. */
  async end(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(interrupted())
    await Promise.all(this.#slots.map(({ thread }) => thread?.terminate()))
  }

  /**
   * Throws RATE_LIMITED if too many calls of the workspace wait, and ENGINE_UNAVAILABLE if too many wait in all. Calls of
   * the platform do not count, because their workers bound them.
   */
  #admit({ workspace }: Call): void {
    const waiting = this.#waiting.filter(({ isInternal }) => !isInternal)
    const own = waiting.filter(({ call }) => call.workspace === workspace)
    if (own.length >= mostWaitingOfWorkspace) throw crowded(mostWaitingOfWorkspace)
    if (waiting.length >= mostWaiting) throw overloaded()
  }

  /** Gives waiting calls to free threads. */
  #next(): void {
    for (;;) {
      const queued = this.#fairest()
      const slot = queued && this.#freeSlot(queued.call.workspace)
      if (queued === undefined || slot === undefined) return
      this.#waiting.splice(this.#waiting.indexOf(queued), 1)
      void this.#run(slot, queued)
    }
  }

  /** Returns the waiting call whose workspace has the fewest running calls; of several, the one that waits longest. */
  #fairest(): QueuedCall<Call> | undefined {
    const runningOf = ({ call }: QueuedCall<Call>): number =>
      this.#slots.filter(({ running }) => running?.call.workspace === call.workspace).length
    return this.#waiting.reduce<QueuedCall<Call> | undefined>(
      (best, queued) => (best === undefined || runningOf(queued) < runningOf(best) ? queued : best),
      undefined,
    )
  }

  /** Returns the thread of a workspace if it is free, otherwise any free thread. */
  #freeSlot(workspace: string): Slot<Call> | undefined {
    const preferred = this.#slots[Number.parseInt(workspace.slice(-4), 16) % this.#slots.length]
    if (preferred !== undefined && preferred.running === undefined) return preferred
    return this.#slots.find(({ running }) => running === undefined)
  }

  async #run(slot: Slot<Call>, queued: QueuedCall<Call>): Promise<void> {
    slot.running = queued
    queued.slot = slot
    Atomics.store(slot.abort, 0, 0)
    try {
      queued.resolve(await this.#threadOf(slot).call(queued.call))
    } catch (error) {
      queued.reject(this.#errorOf(error))
    }
    slot.running = undefined
    queued.slot = undefined
    this.#next()
  }

  /** Ends a call, whose result nobody awaits any more. */
  #stop(queued: QueuedCall<Call>): void {
    const at = this.#waiting.indexOf(queued)
    if (at >= 0) this.#waiting.splice(at, 1)
    const { slot } = queued
    if (slot === undefined) return
    Atomics.store(slot.abort, 0, 1)
    setTimeout(() => {
      if (queued.slot === slot) void slot.thread?.terminate()
    }, graceMs).unref()
  }

  #threadOf(slot: Slot<Call>): CallingThread<Call> {
    if (slot.thread && !slot.thread.isEnded) return slot.thread
    const { program, root } = this.#parts
    const thread = new CallingThread<Call>({
      name: 'telemetry queries',
      program,
      data: { root, abort: slot.abort },
      heapMib,
      report: fault => this.#log.warn({ fault }, 'a file of telemetry cannot be used'),
    })
    slot.thread = thread
    void this.#forgetEnded(slot, thread)
    return thread
  }

  #errorOf(error: unknown): unknown {
    if (error instanceof UnusableFile) {
      this.#log.error({ fault: error.message }, 'a file of telemetry cannot be read')
      return unusable()
    }
    if (!(error instanceof ThreadEnded)) return error
    if (!error.isOutOfMemory) return interrupted()
    const description = `a query may use ${heapMib} MiB of memory`
    return queryLimitExceeded(description, { limit: 'memory' }, { quota: [{ subject: 'query', description }] })
  }

  async #forgetEnded(slot: Slot<Call>, thread: CallingThread<Call>): Promise<void> {
    const err = await thread.ended
    if (slot.thread === thread) slot.thread = undefined
    if (err !== undefined) this.#log.error({ err }, 'a thread that reads telemetry has failed, and is started again')
  }
}
