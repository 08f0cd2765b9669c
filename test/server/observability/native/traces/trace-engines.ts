import { join } from 'node:path'
import { decodeSpans } from '../../../../../domain/observability/ingest/decode-spans.ts'
import type { SpanBatch } from '../../../../../domain/observability/traces/trace-engine.ts'
import type { TelemetryRetention } from '../../../../../domain/observability/telemetry-retention.ts'
import { NativeLease } from '../../../../../domain/resources/native-lease.ts'
import type { Trace } from '../../../../../output/observability/types.ts'
import { NativeTraceEngine } from '../../../../../server/observability/native/native-trace-engine.ts'
import { traceRequest, type TestSpan } from '../../../../domain/observability/traces/sent-spans.ts'
import type { Later } from '../../../store/harness.ts'
import { dayMs, newFolder, noon } from '../engines.ts'

/** The limits of writes: the default retention of traces. */
export const spanLimits = { retentionMs: 7 * dayMs }

/** Returns the batch of spans, as the thread that writes decodes it. */
export function batchOf(spans: readonly TestSpan[]): SpanBatch {
  const body = new TextEncoder().encode(JSON.stringify(traceRequest(spans)))
  return decodeSpans({ format: 'otlp-json', coding: 'identity', body, staticAttributes: {} })
}

/** An engine of traces over a folder, with the lines of its log. */
export interface TestTraceEngine {
  readonly engine: NativeTraceEngine
  readonly folder: string
  readonly lines: readonly string[]
  setNow(now: number): void
  /** Sets the retention of all workspaces; before, that of the last purge holds. */
  setRetention(retention: TelemetryRetention): void
  write(workspace: string, ...spans: readonly TestSpan[]): ReturnType<NativeTraceEngine['write']>
  /** Returns the number of spans of a trace; 0 if the engine has no such trace. */
  spansOf(workspace: string, traceId: string): Promise<number>
}

/** Starts an engine at the time `noon`, which `later` ends. */
export function testTraceEngine(later: Later, folder = newFolder(later)): TestTraceEngine {
  const lines: string[] = []
  const line = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const lease = new NativeLease()
  lease.hold(new AbortController().signal)
  let now = noon
  const root = join(folder, 'observability')
  let retention: TelemetryRetention | undefined
  const engine = new NativeTraceEngine({
    root,
    clock: { now: () => now },
    lease,
    log: { error: line, warn: line },
    retentionOf: async () => retention,
  })
  later(() => engine.end())
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
    write: (workspace, ...spans) => engine.write(workspace, batchOf(spans), spanLimits),
    async spansOf(workspace, traceId) {
      try {
        const { text } = await engine.trace(workspace, traceId, new AbortController().signal)
        const trace: Trace = JSON.parse(text)
        return trace.span_count
      } catch (error) {
        if (error instanceof Error && 'reason' in error && error.reason === 'TRACE_NOT_FOUND') return 0
        throw error
      }
    },
  }
}
