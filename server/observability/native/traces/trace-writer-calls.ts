import type { MessagePort } from 'node:worker_threads'
import type { PushedSpans, SpanBatch } from '../../../../domain/observability/traces/trace-engine.ts'
import { releaseMemory } from '../../../../domain/observability/release-memory.ts'
import { SlicedWork } from '../../../../domain/resources/sliced-work.ts'
import type { Received, Sent } from '../calls/messages.ts'
import { sentError } from '../calls/sent-error.ts'
import { droppedError } from '../calls/dropped-error.ts'
import { dropWorkspace, removeDropped } from '../writing/drop-workspace.ts'
import { nothingKept } from '../writing/purge-workspace.ts'
import { purgeTraces } from './purge-traces.ts'
import type { SpanWrite, TraceWriteCall } from './trace-messages.ts'
import { TraceWriter } from './trace-writer.ts'

/** The time that a write waits for others to share its commit, in milliseconds. */
const shareMs = 20

/** The time between two looks for idle files, in milliseconds. */
const lookMs = 60_000

type Purge = Extract<TraceWriteCall, { readonly kind: 'purge' }>

/** The calls of the thread that writes traces, in the order in which they arrive. */
export class TraceWriterCalls {
  readonly #root: string
  readonly #port: MessagePort
  readonly #decode: (pushed: PushedSpans) => SpanBatch
  readonly #writer: TraceWriter
  /** The purges that run, keyed by the workspace. */
  readonly #purges = new Map<string, Generator<void>>()
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
    if (call.kind === 'purge') return void this.#purge(id, call)
    try {
      this.#post({ id, result: this.#other(call) })
    } catch (error) {
      this.#post({ id, error: sentError(error) })
    }
    if (call.kind === 'end') this.#port.close()
  }

  #other(call: Exclude<TraceWriteCall, Purge | SpanWrite>): unknown {
    switch (call.kind) {
      case 'drop':
        this.#dropped.add(call.workspace)
        this.#purges.get(call.workspace)?.return(undefined)
        this.#writer.release(call.workspace)
        return dropWorkspace(this.#root, call.workspace, 'traces')
      case 'end':
        clearTimeout(this.#commit)
        for (const steps of this.#purges.values()) steps.return(undefined)
        return this.#writer.releaseAll()
    }
  }

  /** Purges a workspace in slices, between which calls are taken. The drop of the workspace ends its purge. */
  async #purge(id: number, { now, retention, workspace }: Purge): Promise<void> {
    const settled = () => this.#writer.settled(workspace, now)
    const report = ({ message }: Error): void => this.#post({ fault: message })
    let result = nothingKept(retention)
    const steps = (function* () {
      result = yield* purgeTraces({ settled, retention, now, report })
    })()
    this.#purges.set(workspace, steps)
    try {
      await new SlicedWork().run(steps)
      this.#post({ id, result })
    } catch (error) {
      this.#post({ id, error: sentError(error) })
    } finally {
      this.#purges.delete(workspace)
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
  }

  #closeIdle(): void {
    this.#writer.commit()
    this.#writer.closeIdle(this.#lastNow)
  }

  #post(message: Received): void {
    this.#port.postMessage(message)
  }
}
