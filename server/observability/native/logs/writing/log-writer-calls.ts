import type { MessagePort } from 'node:worker_threads'
import type { LogBatch } from '../../../../../domain/observability/logs/log-batch.ts'
import type { PushedLogs } from '../../../../../domain/observability/logs/log-engine.ts'
import { releaseMemory } from '../../../../../domain/observability/release-memory.ts'
import { engineUnavailable } from '../../../../../output/shared/errors.ts'
import type { EndCall, Received, Sent } from '../../calls/messages.ts'
import { sentError } from '../../calls/sent-error.ts'
import type { FileFault } from '../../files/telemetry-file.ts'
import { dropWorkspace, removeDropped } from '../../writing/drop-workspace.ts'
import type { LogWriteCall } from '../log-messages.ts'
import { LogWriter } from './log-writer.ts'
import { purgeLogs } from './purge-logs.ts'

/** The time that a write waits for others to share its commit, in milliseconds. */
const shareMs = 20

/** The time between two looks for work that keeps files small, in milliseconds. */
const lookMs = 5_000

type Write = Extract<LogWriteCall, { readonly kind: 'push' | 'write' }>
type Purge = Extract<LogWriteCall, { readonly kind: 'purge' }>

/** The calls of the thread that writes logs, in the order in which they arrive; purges run in steps between others. */
export class LogWriterCalls {
  readonly #root: string
  readonly #port: MessagePort
  readonly #decode: (pushed: PushedLogs) => LogBatch
  readonly #writer: LogWriter
  /** The workspaces whose logs were dropped; the ids are never used again. */
  readonly #dropped = new Set<string>()
  #commit: NodeJS.Timeout | undefined
  /** The difference between the clock of the callers and that of this thread. */
  #clockAhead = Date.now() - performance.now()
  #isTidying = false

  constructor(root: string, port: MessagePort, decode: (pushed: PushedLogs) => LogBatch) {
    this.#root = root
    this.#port = port
    this.#decode = decode
    this.#writer = new LogWriter(root, fault => this.#reportFault(fault))
    removeDropped(root, 'logs')
    port.on('message', (message: Sent<LogWriteCall | EndCall>) => this.#take(message))
    setInterval(() => this.#tidy(), lookMs).unref()
  }

  #take({ call, id }: Sent<LogWriteCall | EndCall>): void {
    if (call.kind === 'push' || call.kind === 'write') return this.#write(id, call)
    if (call.kind === 'purge') return this.#purge(id, call)
    this.#answer(id, () => this.#other(call))
    if (call.kind === 'end') this.#port.close()
  }

  #other(call: Exclude<LogWriteCall, Write | Purge> | EndCall): unknown {
    switch (call.kind) {
      case 'facts':
        return this.#writer.facts(call.workspace, call.now)
      case 'drop':
        this.#dropped.add(call.workspace)
        this.#writer.release(call.workspace)
        return dropWorkspace(this.#root, call.workspace, 'logs')
      case 'end':
        clearTimeout(this.#commit)
        return this.#writer.releaseAll()
      default:
        return call satisfies never
    }
  }

  #write(id: number, call: Write): void {
    const { limits, now, workspace } = call
    const settle = {
      resolve: (result: unknown) => this.#post({ id, result }),
      reject: (error: unknown) => this.#post({ id, error: sentError(error) }),
    }
    this.#clockAhead = now - performance.now()
    try {
      if (this.#dropped.has(workspace)) throw dropped()
      const batch = call.kind === 'push' ? this.#decode(call.pushed) : call.batch
      // The batch has nothing of the body, whose memory belongs to this thread.
      if (call.kind === 'push') releaseMemory(call.pushed.body)
      this.#writer.write(workspace, batch, limits, now, settle)
    } catch (error) {
      return settle.reject(error)
    }
    this.#commit ??= setTimeout(() => this.#commitAll(), shareMs)
  }

  #commitAll(): void {
    this.#commit = undefined
    this.#writer.commit()
    this.#tidy()
  }

  #purge(id: number, { now, retention, workspace }: Purge): void {
    const steps = purgeLogs(this.#writer, workspace, retention, now, fault => this.#reportFault(fault))
    const step = (): void => {
      try {
        const { done, value } = steps.next()
        if (done === true) this.#post({ id, result: value })
        else setImmediate(step)
      } catch (error) {
        this.#post({ id, error: sentError(error) })
      }
    }
    step()
  }

  /** Does due work in steps, between which calls are taken. */
  #tidy(): void {
    if (this.#isTidying) return
    this.#isTidying = true
    const step = (): void => {
      this.#writer.commit()
      this.#isTidying = this.#writer.tidy(this.#clockAhead + performance.now())
      if (this.#isTidying) setImmediate(step)
    }
    step()
  }

  #answer(id: number, call: () => unknown): void {
    try {
      this.#post({ id, result: call() })
    } catch (error) {
      this.#post({ id, error: sentError(error) })
    }
  }

  #reportFault({ message }: FileFault): void {
    this.#post({ fault: message })
  }

  #post(message: Received): void {
    this.#port.postMessage(message)
  }
}

const dropped = () => engineUnavailable('the logs of the workspace were deleted', { retryAfterSeconds: 60 })
