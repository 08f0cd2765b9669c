import type { MessagePort } from 'node:worker_threads'
import type { PushedSpans, SpanBatch } from '../../../../domain/observability/traces/trace-engine.ts'
import type { Received, Sent } from '../calls/messages.ts'
import { sentError } from '../calls/sent-error.ts'
import { droppedError } from '../calls/engine-errors.ts'
import { dropWorkspace, removeDropped } from '../writing/drop-workspace.ts'
import { purgeTraces } from './purge-traces.ts'
import type { SpanWrite, TraceWriteCall } from './trace-messages.ts'
import { TraceWriter } from './trace-writer.ts'

/** The time that a write waits for others to share its commit, in milliseconds. */
const shareMs = 20

/** The time between two looks for idle files, in milliseconds. */
const lookMs = 60_000

/** The calls of the thread that writes traces, in the order in which they arrive. */
export class TraceWriterCalls {
  readonly #root: string
  readonly #port: MessagePort
  readonly #decode: (pushed: PushedSpans) => SpanBatch
  readonly #writer: TraceWriter
  /** The workspaces whose telemetry was dropped; the ids are never used again. */
  readonly #dropped = new Set<string>()
  #commit: NodeJS.Timeout | undefined
  /** The time of the last write, by the clock of the callers. */
  #lastNow = 0

  constructor(root: string, port: MessagePort, decode: (pushed: PushedSpans) => SpanBatch) {
    this.#root = root
    this.#port = port
    this.#decode = decode
    this.#writer = new TraceWriter(root)
    removeDropped(root, 'traces')
    port.on('message', (message: Sent<TraceWriteCall>) => this.#take(message))
    setInterval(() => this.#closeIdle(), lookMs).unref()
  }

  #take({ call, id }: Sent<TraceWriteCall>): void {
    if (call.kind === 'push' || call.kind === 'write') return this.#write(id, call)
    try {
      this.#post({ id, result: this.#other(call) })
    } catch (error) {
      this.#post({ id, error: sentError(error) })
    }
    if (call.kind === 'end') this.#port.close()
  }

  #other(call: Exclude<TraceWriteCall, SpanWrite>): unknown {
    switch (call.kind) {
      case 'purge': {
        const { now, retention, workspace } = call
        const report = ({ message }: Error): void => this.#post({ fault: message })
        return purgeTraces(this.#writer.settled(workspace, now), retention, now, report)
      }
      case 'drop':
        this.#dropped.add(call.workspace)
        this.#writer.release(call.workspace)
        return dropWorkspace(this.#root, call.workspace, 'traces')
      case 'end':
        clearTimeout(this.#commit)
        return this.#writer.releaseAll()
    }
  }

  #write(id: number, call: SpanWrite): void {
    const { limits, now, workspace } = call
    const settle = {
      resolve: (result: unknown) => this.#post({ id, result }),
      reject: (error: unknown) => this.#post({ id, error: sentError(error) }),
    }
    this.#lastNow = now
    try {
      if (this.#dropped.has(workspace)) throw droppedError()
      const batch = call.kind === 'push' ? this.#decode(call.pushed) : call.batch
      this.#writer.write(workspace, batch, limits, now, settle)
    } catch (error) {
      return settle.reject(error)
    }
    this.#commit ??= setTimeout(() => this.#commitAll(), shareMs)
  }

  #commitAll(): void {
    this.#commit = undefined
    this.#writer.commit()
  }

  #closeIdle(): void {
    this.#writer.commit()
    this.#writer.closeIdle(this.#lastNow)
  }

  #post(message: Received): void {
    this.#port.postMessage(message)
  }
}
