import type { WriteResult } from '../../../domain/observability/metrics/metric-engine.ts'
import type { RetainedBytes, TelemetryRetention } from '../../../domain/observability/telemetry-retention.ts'
import type {
  FoundTraces,
  GraphQuery,
  PushedSpans,
  SpanBatch,
  SpanLimits,
  TraceEngine,
  TraceQuery,
} from '../../../domain/observability/traces/trace-engine.ts'
import type { Clock } from '../../../domain/ports/clock.ts'
import type { ServiceGraph, Trace } from '../../../output/observability/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import { EngineCounts } from './engine-counts.ts'
import { MinuteCounts } from './minute-counts.ts'
import type { NativeEngineParts } from './native-metric-engine.ts'
import { isQueryError, overloaded } from './calls/engine-errors.ts'
import { EngineThreads, ownBytes } from './threads/engine-threads.ts'
import type { CallTerms } from './threads/query-pool.ts'
import type { TraceQuestion, TraceReadCall, TraceWriteCall } from './traces/trace-messages.ts'

/** The longest time of the reading of one trace, in milliseconds. */
const timeoutMs = 30_000

/** The traces in files of this host, which threads write and read (observability.md 6). */
export class NativeTraceEngine implements TraceEngine {
  readonly counts = new EngineCounts()
  readonly #clock: Pick<Clock, 'now'>
  readonly #retentionOf: NativeEngineParts['retentionOf']
  readonly #threads: EngineThreads<TraceReadCall, TraceWriteCall>
  readonly #spans = new MinuteCounts()

  constructor({ clock, retentionOf, ...parts }: NativeEngineParts) {
    this.#clock = clock
    this.#retentionOf = retentionOf
    this.#threads = new EngineThreads(parts, { reader: 'trace-query-thread', writer: 'trace-writer-thread' })
  }

  /** The calls and bytes that wait for the thread that writes, and the calls of the threads that read. */
  get load() {
    return this.#threads.load
  }

  async trace(workspace: string, traceId: string, signal: AbortSignal): Promise<JsonText<Trace>> {
    try {
      const text = await this.#read({ kind: 'trace', workspace, traceId, now: this.#now() }, { timeoutMs, signal })
      return new JsonText(String(text))
    } catch (error) {
      throw isQueryError(error) ? overloaded() : error
    }
  }

  async search(workspace: string, query: TraceQuery, signal: AbortSignal): Promise<FoundTraces> {
    const call = { kind: 'search', workspace, query, now: this.#now() } as const
    return (await this.#read(call, { timeoutMs: query.timeoutMs, signal })) as FoundTraces
  }

  async graph(workspace: string, query: GraphQuery, signal: AbortSignal): Promise<ServiceGraph> {
    const call = { kind: 'graph', workspace, query, now: this.#now() } as const
    return (await this.#read(call, { timeoutMs: query.timeoutMs, signal })) as ServiceGraph
  }

  async push(workspace: string, pushed: PushedSpans, limits: SpanLimits): Promise<WriteResult> {
    const body = ownBytes(pushed.body)
    const call = { kind: 'push', workspace, pushed: { ...pushed, body }, limits, now: this.#now() } as const
    return this.#written(workspace, await this.#threads.write(call, body.buffer))
  }

  async write(workspace: string, batch: SpanBatch, limits: SpanLimits): Promise<WriteResult> {
    const call = { kind: 'write', workspace, batch, limits, now: this.#now() } as const
    return this.#written(workspace, await this.#threads.write(call))
  }

  async purge(workspace: string, retention: TelemetryRetention): Promise<RetainedBytes> {
    const result = await this.#threads.write({ kind: 'purge', workspace, retention, now: this.#now() })
    // The thread sends results of this type only.
    return result as RetainedBytes
  }

  async drop(workspace: string): Promise<void> {
    await this.#threads.write({ kind: 'drop', workspace })
    this.#spans.forget(workspace)
  }

  spansLastMinute(workspace: string): number {
    return this.#spans.of(workspace, this.#now())
  }

  written(): readonly string[] {
    return this.#spans.workspaces()
  }

  /** Ends the threads; spans that were pushed before are on the disk. */
  end(): Promise<void> {
    return this.#threads.end()
  }

  #now(): number {
    return this.#clock.now()
  }

  async #read(question: TraceQuestion, terms: CallTerms): Promise<unknown> {
    const retention = await this.#retentionOf?.(question.workspace)
    return this.counts.query(() => this.#threads.read({ ...question, retention }, terms))
  }

  #written(workspace: string, result: unknown): WriteResult {
    // The thread sends results of this type only.
    const written = result as WriteResult
    this.counts.write(written)
    this.#spans.add(workspace, written.accepted, this.#now())
    return written
  }
}
