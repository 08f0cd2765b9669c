import { join } from 'node:path'
import type { LogBatch, NewEntry } from '../../../../../domain/observability/logs/log-batch.ts'
import { logAnswerText } from '../../../../../domain/observability/logql/answer-text.ts'
import type { LogQuery } from '../../../../../domain/observability/logql/run-query.ts'
import type { LogLimits } from '../../../../../domain/observability/logs/log-engine.ts'
import type { TelemetryRetention } from '../../../../../domain/observability/telemetry-retention.ts'
import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'
import { NativeLease } from '../../../../../domain/resources/native-lease.ts'
import { NativeLogEngine } from '../../../../../server/observability/native/native-log-engine.ts'
import type { LogQueryResponse } from '../../../../../output/observability/types.ts'
import type { Later } from '../../../store/harness.ts'
import { dayMs, newFolder, noon } from '../engines.ts'

export const logLimits: LogLimits = { logStreams: 5000, retentionMs: 30 * dayMs }

/** Returns nanoseconds since 1970 of a time in milliseconds since 1970, with further nanoseconds. */
export const at = (ms: number, rest = 0): bigint => BigInt(ms) * 1_000_000n + BigInt(rest)

/** Returns an entry without metadata. */
export const entry = (time: bigint, line: string, more: Partial<NewEntry> = {}): NewEntry => ({
  time,
  line,
  metadata: {},
  severity: 'OBSERVABILITY_LOG_SEVERITY_UNSPECIFIED',
  traceId: '',
  spanId: '',
  ...more,
})

/** Returns a batch of streams. */
export const logBatch = (
  ...streams: readonly (readonly [labels: Labels, entries: readonly NewEntry[]])[]
): LogBatch => ({
  streams: streams.map(([labels, entries]) => ({ labels, entries })),
  rejections: {},
  message: '',
})

/** An engine of logs over a folder, with the lines of its log. */
export interface TestLogEngine {
  readonly engine: NativeLogEngine
  readonly folder: string
  readonly lines: readonly string[]
  /** Sets the time of the engine. */
  setNow(now: number): void
  /** Sets the retention of all workspaces; before, that of the last purge holds. */
  setRetention(retention: TelemetryRetention): void
  /** Runs a log query over all times, the oldest entries first. */
  query(workspace: string, query: string, more?: Partial<LogQuery>): Promise<LogQueryResponse>
  /** Returns the lines that a log query answers, the oldest first. */
  linesOf(workspace: string, query: string): Promise<readonly string[]>
}

/** Starts an engine, which `later` ends. */
export function testLogEngine(later: Later, folder = newFolder(later)): TestLogEngine {
  const lines: string[] = []
  const line = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const lease = new NativeLease()
  lease.hold(new AbortController().signal)
  let now = noon
  let retention: TelemetryRetention | undefined
  const engine = new NativeLogEngine({
    root: join(folder, 'observability'),
    clock: { now: () => now },
    lease,
    log: { error: line, warn: line },
    retentionOf: async () => retention,
  })
  later(() => engine.end())
  const query: TestLogEngine['query'] = async (workspace, text, more = {}) => {
    const { cost, result } = await engine.query(
      workspace,
      {
        query: text,
        start: 0n,
        end: at(now + dayMs),
        direction: 'FORWARD',
        limit: 5000,
        timeoutMs: 30_000,
        ...more,
      },
      new AbortController().signal,
    )
    return JSON.parse(logAnswerText(result, cost, ''))
  }
  return {
    engine,
    folder,
    lines,
    setNow(time) {
      now = time
    },
    setRetention(given) {
      retention = given
    },
    query,
    async linesOf(workspace, text) {
      const { streams } = await query(workspace, text)
      return streams
        .flatMap(({ entries }) => entries)
        .toSorted((one, other) => (one.time < other.time ? -1 : 1))
        .map(each => each.line)
    },
  }
}
