import type { LogBatch } from '../../../domain/observability/logs/log-batch.ts'
import type {
  LogEngine,
  LogLimits,
  LogUsage,
  LogWriteResult,
  PushedLogs,
  TailPage,
  TailRead,
} from '../../../domain/observability/logs/log-engine.ts'
import type { StreamTimes } from '../../../domain/observability/logs/log-streams.ts'
import type { AlertVector } from '../../../domain/observability/metrics/metric-engine.ts'
import type { LogQuery, LogQueryResult } from '../../../domain/observability/logql/run-query.ts'
import type { RetainedBytes, TelemetryRetention } from '../../../domain/observability/telemetry-retention.ts'
import type { GivenEntries, LinesPage, LinesRead, SinkLogs } from '../../../domain/observability/sinks/sink-lines.ts'
import type { LogStream } from '../../../output/observability/types.ts'
import { EngineCounts } from './engine-counts.ts'
import type { NativeEngineParts } from './native-metric-engine.ts'
import { MinuteCounts } from './minute-counts.ts'
import { EngineThreads, ownBytes } from './threads/engine-threads.ts'
import type { CallTerms } from './threads/query-pool.ts'
import { CommittedNumbers } from './logs/committed-numbers.ts'
import type { LogFacts, LogReadCall, LogWriteCall } from './logs/log-messages.ts'

/** The longest time in milliseconds of calls that name none. */
const timeoutMs = 30_000

/** The longest time in milliseconds of a read for a sink, which looks at some megabytes. */
const longestSinkMs = 10_000

/** The ends of the times of all entries in nanoseconds since 1970. */
const [minTime, maxTime] = [0n, 2n ** 63n - 1n] as const

/** The terms of a read for a sink. */
const forSink = (signal: AbortSignal): CallTerms => ({ timeoutMs: longestSinkMs, signal, isInternal: true })

/** A call without the members that all calls have. */
type Own<Call, Common extends string = 'now' | 'workspace'> = Call extends unknown ? Omit<Call, Common> : never

/** The logs in files of this host, which threads write and read. */
export class NativeLogEngine implements LogEngine, SinkLogs {
  readonly counts = new EngineCounts()
  readonly #parts: NativeEngineParts
  readonly #threads: EngineThreads<LogReadCall, LogWriteCall>
  readonly #bytes = new MinuteCounts()
  readonly #numbers = new CommittedNumbers()
  /** The signal of the lease under which the last numbers were learned. */
  #tenure: AbortSignal | undefined

  constructor(parts: NativeEngineParts) {
    this.#parts = parts
    this.#threads = new EngineThreads(parts, { reader: 'log-query-thread', writer: 'log-writer-thread' })
  }

  /** The calls and bytes that wait for the thread that writes, and the calls of the threads that read. */
  get load() {
    return this.#threads.load
  }

  async query(workspace: string, query: LogQuery, signal: AbortSignal): Promise<LogQueryResult> {
    return this.#read<LogQueryResult>(workspace, { kind: 'query', query }, { timeoutMs: query.timeoutMs, signal })
  }

  async alertVector(workspace: string, query: string, time: number, signal: AbortSignal): Promise<AlertVector> {
    const call = { kind: 'alert', query, time, timeoutMs } as const
    return this.#read<AlertVector>(workspace, call, { timeoutMs, signal, isInternal: true })
  }

  async streams(workspace: string, { before, from }: StreamTimes, signal: AbortSignal): Promise<readonly LogStream[]> {
    const times = { from: from ?? minTime, before: before ?? maxTime }
    return this.#read<readonly LogStream[]>(workspace, { kind: 'streams', times }, { timeoutMs, signal })
  }

  async tail(workspace: string, read: TailRead, signal: AbortSignal): Promise<TailPage> {
    return this.#read<TailPage>(workspace, { kind: 'tail', read }, { timeoutMs, signal })
  }

  async lines(workspace: string, read: LinesRead, signal: AbortSignal): Promise<LinesPage> {
    return this.#read<LinesPage>(workspace, { kind: 'lines', read }, forSink(signal))
  }

  async chosen(workspace: string, given: GivenEntries, read: LinesRead, signal: AbortSignal): Promise<LinesPage> {
    return this.#read<LinesPage>(workspace, { kind: 'chosen', given, read }, forSink(signal))
  }

  async numberBefore(workspace: string, since: number, signal: AbortSignal): Promise<number> {
    const last = await this.lastNumber(workspace)
    // Callers of tails ask for the number too; tails have a bound of their own.
    const found = await this.#read<number | undefined>(workspace, { kind: 'start', since }, forSink(signal))
    return found ?? last
  }

  async lastNumber(workspace: string): Promise<number> {
    const { signal } = this.#parts.lease
    if (signal !== this.#tenure) this.#numbers.forget()
    this.#tenure = signal
    const known = this.#numbers.of(workspace)
    if (known !== undefined) return known
    const { lastNumber } = await this.#facts(workspace)
    this.#numbers.advance(workspace, lastNumber)
    return this.#numbers.of(workspace) ?? lastNumber
  }

  async newEntries(workspace: string, after: number, signal: AbortSignal): Promise<void> {
    await this.#numbers.beyond(workspace, after, signal)
  }

  async push(workspace: string, pushed: PushedLogs, limits: LogLimits): Promise<LogWriteResult> {
    const body = ownBytes(pushed.body)
    return this.#written(workspace, { kind: 'push', pushed: { ...pushed, body }, limits }, body.buffer)
  }

  async write(workspace: string, batch: LogBatch, limits: LogLimits): Promise<LogWriteResult> {
    return this.#written(workspace, { kind: 'write', batch, limits })
  }

  async purge(workspace: string, retention: TelemetryRetention): Promise<RetainedBytes> {
    return this.#write<RetainedBytes>(workspace, { kind: 'purge', retention })
  }

  async drop(workspace: string): Promise<void> {
    await this.#write(workspace, { kind: 'drop' })
    this.#bytes.forget(workspace)
  }

  async usage(workspace: string): Promise<LogUsage> {
    const { streams } = await this.#facts(workspace)
    return { streams, bytesLastMinute: this.#bytes.of(workspace, this.#now()) }
  }

  written(): readonly string[] {
    return this.#bytes.workspaces()
  }

  /** Ends the threads; entries that were pushed before are on the disk. */
  end(): Promise<void> {
    return this.#threads.end()
  }

  #now(): number {
    return this.#parts.clock.now()
  }

  #facts(workspace: string): Promise<LogFacts> {
    return this.#write<LogFacts>(workspace, { kind: 'facts' })
  }

  async #read<Result>(
    workspace: string,
    call: Own<LogReadCall, 'now' | 'retention' | 'workspace'>,
    terms: CallTerms,
  ): Promise<Result> {
    const retention = await this.#parts.retentionOf?.(workspace)
    const whole: LogReadCall = { ...call, workspace, retention, now: this.#now() }
    const result = await this.counts.query(() => this.#threads.read(whole, terms))
    // The thread sends the results of each kind of call only.
    return result as Result
  }

  async #write<Result>(workspace: string, call: Own<LogWriteCall>, body?: ArrayBuffer): Promise<Result> {
    const whole: LogWriteCall = { ...call, workspace, now: this.#now() }
    // The thread sends the results of each kind of call only.
    return (await this.#threads.write(whole, body)) as Result
  }

  async #written(workspace: string, call: Own<LogWriteCall>, body?: ArrayBuffer): Promise<LogWriteResult> {
    const written = await this.#write<LogWriteResult>(workspace, call, body)
    this.counts.write(written)
    this.#bytes.add(workspace, written.bytes, this.#now())
    this.#numbers.advance(workspace, written.lastNumber)
    return written
  }
}
