import type {
  AlertVector,
  InstantQuery,
  MetricEngine,
  MetricRetention,
  MetricSelection,
  MetricUsage,
  PushedBody,
  RangeQuery,
  RetainedBytes,
  WriteLimits,
  WriteResult,
} from '../../../domain/observability/metrics/metric-engine.ts'
import type { MetricBatch } from '../../../domain/observability/metrics/samples.ts'
import type { Clock } from '../../../domain/ports/clock.ts'
import type { NativeLease } from '../../../domain/resources/native-lease.ts'
import type { MetricDescriptor, MetricLabel, MetricQueryResponse } from '../../../output/observability/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import type { Log } from '../../log.ts'
import { EngineCounts } from './engine-counts.ts'
import { SampleCounts } from './sample-counts.ts'
import { servedElsewhere } from './threads/engine-errors.ts'
import type { Question } from './calls/messages.ts'
import { QueryPool } from './threads/query-pool.ts'
import { Writer } from './threads/writer.ts'

/** The number of threads that read. */
const readers = 2

/** The longest time in milliseconds of calls that name none. */
const longestMs = 30_000

/** The parts of the engine. */
export interface NativeEngineParts {
  /** The folder for the telemetry of all workspaces. */
  readonly root: string
  readonly clock: Pick<Clock, 'now'>
  /** The lease of the server that serves the folder. */
  readonly lease: NativeLease
  readonly log: Pick<Log, 'error' | 'warn'>
  /**
   * Returns the retention of the metrics of a workspace: reads show no older samples, also before a purge deletes them.
   * Absent: reads show all samples.
   */
  readonly retentionOf?: (workspace: string) => Promise<MetricRetention>
}

type Call<Kind extends Question['kind']> = Extract<Question, { readonly kind: Kind }>

/** The retention of a workspace without limits. */
const unlimited: MetricRetention = { defaultMs: Infinity, selected: [] }

/** The metrics in files of this host, which threads write and read (observability.md 6). */
export class NativeMetricEngine implements MetricEngine {
  readonly counts = new EngineCounts()
  readonly #parts: NativeEngineParts
  readonly #writer: Writer
  readonly #pool: QueryPool
  readonly #samples = new SampleCounts()
  /** The signal of the lease under which the threads run. */
  #tenure: AbortSignal | undefined

  constructor(parts: NativeEngineParts) {
    this.#parts = parts
    this.#writer = new Writer(parts.root, parts.log)
    this.#pool = new QueryPool(parts.root, readers, parts.log)
  }

  /** The calls and bytes that wait for the thread that writes, and the calls of the threads that read. */
  get load() {
    return { writer: this.#writer.waiting, readers: this.#pool.load }
  }

  async query(workspace: string, query: InstantQuery, signal: AbortSignal): Promise<JsonText<MetricQueryResponse>> {
    const text = await this.#read({ kind: 'query', workspace, query, now: this.#now() }, query.timeoutMs, signal)
    return new JsonText(String(text))
  }

  async queryRange(workspace: string, query: RangeQuery, signal: AbortSignal): Promise<JsonText<MetricQueryResponse>> {
    const text = await this.#read({ kind: 'range', workspace, query, now: this.#now() }, query.timeoutMs, signal)
    return new JsonText(String(text))
  }

  async alertVector(workspace: string, query: string, time: number, signal: AbortSignal): Promise<AlertVector> {
    const call = { kind: 'alert', workspace, query, time, timeoutMs: longestMs, now: this.#now() } as const
    return (await this.#read(call, longestMs, signal)) as AlertVector
  }

  async descriptors(workspace: string): Promise<readonly MetricDescriptor[]> {
    const call: Call<'descriptors'> = { kind: 'descriptors', workspace, now: this.#now() }
    return (await this.#read(call, longestMs)) as readonly MetricDescriptor[]
  }

  async labels(workspace: string, selection: MetricSelection, label?: string): Promise<readonly MetricLabel[]> {
    const call: Call<'labels'> = { kind: 'labels', workspace, selection, label, now: this.#now() }
    return (await this.#read(call, longestMs)) as readonly MetricLabel[]
  }

  async push(workspace: string, pushed: PushedBody, limits: WriteLimits): Promise<WriteResult> {
    const body = ownBytes(pushed.body)
    const call = { kind: 'push', workspace, pushed: { ...pushed, body }, limits, now: this.#now() } as const
    return this.#written(workspace, await this.#write(call, body.buffer))
  }

  async write(workspace: string, batch: MetricBatch, limits: WriteLimits): Promise<WriteResult> {
    return this.#written(workspace, await this.#write({ kind: 'write', workspace, batch, limits, now: this.#now() }))
  }

  async purge(workspace: string, retention: MetricRetention): Promise<RetainedBytes> {
    const result = await this.#write({ kind: 'purge', workspace, retention, now: this.#now() })
    // The thread sends results of this type only.
    return result as RetainedBytes
  }

  async drop(workspace: string): Promise<void> {
    await this.#write({ kind: 'drop', workspace })
    this.#samples.forget(workspace)
  }

  async usage(workspace: string): Promise<MetricUsage> {
    const now = this.#now()
    const activeSeries = Number(await this.#write({ kind: 'active', workspace, now }))
    return { activeSeries, samplesLastMinute: this.#samples.of(workspace, now) }
  }

  written(): readonly string[] {
    return this.#samples.workspaces()
  }

  /** Ends the threads; samples that were pushed before are on the disk. */
  async end(): Promise<void> {
    await Promise.all([this.#writer.end(), this.#pool.end()])
  }

  #now(): number {
    return this.#parts.clock.now()
  }

  async #read(question: Question, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    await this.#requireLease()
    const retention = (await this.#parts.retentionOf?.(question.workspace)) ?? unlimited
    return this.counts.query(() => this.#pool.call({ ...question, retention }, timeoutMs, signal))
  }

  async #write(...[call, body]: Parameters<Writer['call']>): Promise<unknown> {
    await this.#requireLease()
    return this.#writer.call(call, body)
  }

  #written(workspace: string, result: unknown): WriteResult {
    // The thread sends results of this type only.
    const written = result as WriteResult
    this.counts.write(written)
    this.#samples.add(workspace, written.accepted, this.#now())
    return written
  }

  /** Throws ENGINE_UNAVAILABLE on a server without the lease. With the loss of the lease, the threads end. */
  async #requireLease(): Promise<void> {
    const { lease, log } = this.#parts
    if (!(await lease.isServing())) throw servedElsewhere()
    const { signal } = lease
    if (signal === this.#tenure) return
    this.#tenure = signal
    signal?.addEventListener('abort', () => {
      this.end().catch((err: unknown) => log.warn({ err }, 'the threads of telemetry did not end properly'))
    })
  }
}

/** Returns bytes whose memory belongs to them alone, because the thread takes the memory. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(bytes)
}
