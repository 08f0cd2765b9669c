import type { MessagePort } from 'node:worker_threads'
import type { PushedBody } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { MetricBatch } from '../../../../domain/observability/metrics/metric-batch.ts'
import { releaseMemory } from '../../../../domain/observability/release-memory.ts'
import { SlicedWork } from '../../../../domain/resources/sliced-work.ts'
import type { FileFault } from '../files/telemetry-file.ts'
import type { Received, Sent, WriteCall } from '../calls/messages.ts'
import { sentError } from '../calls/sent-error.ts'
import { droppedError } from '../calls/dropped-error.ts'
import { dropWorkspace, removeDropped } from './drop-workspace.ts'
import { MetricWriter } from './metric-writer.ts'
import { nothingKept, purgeWorkspace } from './purge-workspace.ts'

/** The time that a write waits for others to share its commit, in milliseconds. */
const shareMs = 5

/** The time between two looks for work that keeps files small, in milliseconds. */
const lookMs = 5_000

/** The calls of the thread that writes, in the order in which they arrive. */
export class WriterCalls {
  readonly #root: string
  readonly #port: MessagePort
  readonly #decode: (pushed: PushedBody) => MetricBatch
  readonly #writer: MetricWriter
  /** The purges that run, keyed by the workspace. */
  readonly #purges = new Map<string, Generator<void>>()
  /** The workspaces whose telemetry was dropped; the ids are never used again. */
  readonly #dropped = new Set<string>()
  #commit: NodeJS.Timeout | undefined
  /** The difference between the clock of the callers and that of this thread. */
  #clockAhead = Date.now() - performance.now()
  #isTidying = false

  constructor(root: string, port: MessagePort, decode: (pushed: PushedBody) => MetricBatch) {
    this.#root = root
    this.#port = port
    this.#decode = decode
    this.#writer = new MetricWriter(root, fault => this.#reportFault(fault))
    removeDropped(root, 'metrics')
    port.on('message', (message: Sent<WriteCall>) => this.#take(message))
    setInterval(() => this.#tidy(), lookMs).unref()
  }

  #take({ call, id }: Sent<WriteCall>): void {
    if (call.kind === 'push' || call.kind === 'write') return this.#write(id, call)
    if (call.kind === 'purge') return void this.#purge(id, call)
    try {
      this.#post({ id, result: this.#other(call) })
    } catch (error) {
      this.#post({ id, error: sentError(error) })
    }
    if (call.kind === 'end') this.#port.close()
  }

  #other(call: Exclude<WriteCall, { kind: 'push' | 'write' | 'purge' }>): unknown {
    switch (call.kind) {
      case 'active':
        return this.#writer.activeSeries(call.workspace, call.now)
      case 'drop':
        this.#dropped.add(call.workspace)
        this.#purges.get(call.workspace)?.return(undefined)
        this.#writer.release(call.workspace)
        return dropWorkspace(this.#root, call.workspace, 'metrics')
      case 'end':
        clearTimeout(this.#commit)
        for (const steps of this.#purges.values()) steps.return(undefined)
        return this.#writer.releaseAll()
    }
  }

  #write(id: number, call: Extract<WriteCall, { kind: 'push' | 'write' }>): void {
    const { limits, now, workspace } = call
    const settle = {
      resolve: (result: unknown) => this.#post({ id, result }),
      reject: (error: unknown) => this.#post({ id, error: sentError(error) }),
    }
    this.#clockAhead = now - performance.now()
    try {
      if (this.#dropped.has(workspace)) throw droppedError()
      const batch = call.kind === 'push' ? this.#decode(call.pushed) : call.batch
      if (call.kind === 'push') releaseMemory(call.pushed.body)
      this.#writer.write(workspace, batch, limits, now, settle)
    } catch (error) {
      return settle.reject(error)
    }
    this.#commit ??= setTimeout(() => this.#commitAll(), shareMs)
  }

  /** Purges a workspace in slices, between which calls are taken. The drop of the workspace ends its purge. */
  async #purge(id: number, { now, retention, workspace }: Extract<WriteCall, { kind: 'purge' }>): Promise<void> {
    try {
      const writer = this.#writer.hold(workspace, now)
      if (writer === undefined) return this.#post({ id, result: nothingKept(retention) })
      const commit = () => this.#writer.commit()
      const report = (fault: FileFault) => this.#reportFault(fault)
      let result = nothingKept(retention)
      const steps = (function* () {
        result = yield* purgeWorkspace({ writer, retention, now, commit, report })
      })()
      this.#purges.set(workspace, steps)
      try {
        await new SlicedWork().run(steps)
      } finally {
        this.#purges.delete(workspace)
        this.#writer.letGo(workspace)
      }
      this.#post({ id, result })
    } catch (error) {
      this.#post({ id, error: sentError(error) })
    }
  }

  #commitAll(): void {
    this.#commit = undefined
    this.#writer.commit()
    this.#tidy()
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

  #reportFault({ message }: FileFault): void {
    this.#post({ fault: message })
  }

  #post(message: Received): void {
    this.#port.postMessage(message)
  }
}
