import type {
  AlertVector,
  InstantQuery,
  MetricEngine,
  MetricSelection,
  MetricUsage,
  PushedBody,
  RangeQuery,
  WriteLimits,
  WriteResult,
} from '../../../domain/observability/metrics/metric-engine.ts'
import type { MetricBatch } from '../../../domain/observability/metrics/metric-batch.ts'
import type { RetainedBytes, TelemetryRetention } from '../../../domain/observability/telemetry-retention.ts'
import type { Clock } from '../../../domain/ports/clock.ts'
import type { MetricDescriptor, MetricLabel, MetricQueryResponse } from '../../../output/observability/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import { owned } from '../../../runtime/media.ts'
import { EngineCounts } from './engine-counts.ts'
import { MinuteCounts } from './minute-counts.ts'
import type { Question, ReadCall, WriteCall } from './calls/messages.ts'
import { EngineThreads, ownBytes, type EngineThreadsParts } from './threads/engine-threads.ts'
import type { CallTerms } from './threads/query-pool.ts'

/** The longest time in milliseconds of calls that name none. */
const timeoutMs = 30_000

/** The parts of the engine. */
export interface NativeEngineParts extends EngineThreadsParts {
  readonly clock: Pick<Clock, 'now'>
  /**
   * Returns the retention of the signal in a workspace: reads show nothing older, also before a purge deletes it. Absent:
   * reads of metrics show all samples, and reads of logs and traces use the retention of the last purge.
   */
  readonly retentionOf?: (workspace: string) => Promise<TelemetryRetention | undefined>
}

type Call<Kind extends Question['kind']> = Extract<Question, { readonly kind: Kind }>

/** The retention of a workspace without limits. */
const unlimited: TelemetryRetention = { defaultMs: Infinity, selected: [] }

/** The metrics in files of this host, which threads write and read (observability.md 6). */
export class NativeMetricEngine implements MetricEngine {
  readonly counts = new EngineCounts()
  readonly #clock: Pick<Clock, 'now'>
  readonly #threads: EngineThreads<ReadCall, WriteCall>
  readonly #retentionOf: NativeEngineParts['retentionOf']
  readonly #samples = new MinuteCounts()

  constructor({ clock, retentionOf, ...parts }: NativeEngineParts) {
    this.#clock = clock
    this.#retentionOf = retentionOf
    this.#threads = new EngineThreads(parts, { reader: 'query-thread', writer: 'writer-thread' })
  }

  /** The calls and bytes that wait for the thread that writes, and the calls of the threads that read. */
  get load() {
    return this.#threads.load
  }

  async query(workspace: string, query: InstantQuery, signal: AbortSignal): Promise<JsonText<MetricQueryResponse>> {
    const call = { kind: 'query', workspace, query, now: this.#now() } as const
    return answerOf(await this.#read(call, { timeoutMs: query.timeoutMs, signal }))
  }

  async queryRange(workspace: string, query: RangeQuery, signal: AbortSignal): Promise<JsonText<MetricQueryResponse>> {
    const call = { kind: 'range', workspace, query, now: this.#now() } as const
    return answerOf(await this.#read(call, { timeoutMs: query.timeoutMs, signal }))
  }

  async alertVector(workspace: string, query: string, time: number, signal: AbortSignal): Promise<AlertVector> {
    const call = { kind: 'alert', workspace, query, time, timeoutMs, now: this.#now() } as const
    return (await this.#read(call, { timeoutMs, signal, isInternal: true })) as AlertVector
  }

  async descriptors(workspace: string, signal: AbortSignal): Promise<readonly MetricDescriptor[]> {
    const call: Call<'descriptors'> = { kind: 'descriptors', workspace, now: this.#now() }
    return (await this.#read(call, { timeoutMs, signal })) as readonly MetricDescriptor[]
  }

  async labels(workspace: string, selection: MetricSelection, signal: AbortSignal): Promise<readonly MetricLabel[]> {
    const call: Call<'labels'> = { kind: 'labels', workspace, selection, now: this.#now() }
    return (await this.#read(call, { timeoutMs, signal })) as readonly MetricLabel[]
  }

  async push(workspace: string, pushed: PushedBody, limits: WriteLimits): Promise<WriteResult> {
    const body = ownBytes(pushed.body)
    const call = { kind: 'push', workspace, pushed: { ...pushed, body }, limits, now: this.#now() } as const
    return this.#written(workspace, await this.#threads.write(call, body.buffer))
  }

  async write(workspace: string, batch: MetricBatch, limits: WriteLimits): Promise<WriteResult> {
    return this.#written(
      workspace,
      await this.#threads.write({ kind: 'write', workspace, batch, limits, now: this.#now() }),
    )
  }

  async purge(workspace: string, retention: TelemetryRetention): Promise<RetainedBytes> {
    const result = await this.#threads.write({ kind: 'purge', workspace, retention, now: this.#now() })
    // The thread sends results of this type only.
    return result as RetainedBytes
  }

  async drop(workspace: string): Promise<void> {
    await this.#threads.write({ kind: 'drop', workspace })
    this.#samples.forget(workspace)
  }

  async usage(workspace: string): Promise<MetricUsage> {
    const now = this.#now()
    const activeSeries = Number(await this.#threads.write({ kind: 'active', workspace, now }))
    return { activeSeries, samplesLastMinute: this.#samples.of(workspace, now) }
  }

  written(): readonly string[] {
    return this.#samples.workspaces()
  }

  /** Ends the threads; samples that were pushed before are on the disk. */
  end(): Promise<void> {
    return this.#threads.end()
  }

  #now(): number {
    return this.#clock.now()
  }

  async #read(question: Question, terms: CallTerms): Promise<unknown> {
    const retention = (await this.#retentionOf?.(question.workspace)) ?? unlimited
    return this.counts.query(() => this.#threads.read({ ...question, retention }, terms))
  }

  #written(workspace: string, result: unknown): WriteResult {
    // The thread sends results of this type only.
    const written = result as WriteResult
    this.counts.write(written)
    this.#samples.add(workspace, written.accepted, this.#now())
    return written
  }
}

/** Returns the answer of a query, whose bytes the thread has sent. */
const answerOf = (result: unknown): JsonText<MetricQueryResponse> =>
  // The thread sends results of this type only.
  new JsonText(owned(result as Uint8Array<ArrayBuffer>))
