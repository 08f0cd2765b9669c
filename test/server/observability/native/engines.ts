import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { WriteLimits } from '../../../../domain/observability/metrics/metric-engine.ts'
import { batchOf, type MetricBatch } from '../../../../domain/observability/metrics/metric-batch.ts'
import { StaleMarks, type Labels, type Series } from '../../../../domain/observability/metrics/samples.ts'
import type { TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import { NativeLease } from '../../../../domain/resources/native-lease.ts'
import type { MetricQueryResponse } from '../../../../output/observability/types.ts'
import { NativeMetricEngine } from '../../../../server/observability/native/native-metric-engine.ts'
import { memoryFolder } from '../../../memory-folder.ts'
import type { Later } from '../../store/harness.ts'

/** Returns the id of a new workspace. */
export const newWorkspace = (): string => randomUUID()

export const dayMs = 86_400_000

/** A time of the tests: ten o'clock of a day. */
export const noon = Date.UTC(2026, 10, 30, 10)

export const limits: WriteLimits = { activeSeries: 100_000, retentionMs: 15 * dayMs }

/** A sample; `stale` is the mark that ends a series. */
export type Sample = readonly [time: number, value: number | 'stale']

export function series(labels: Labels, samples: readonly Sample[]): Series {
  const values = new Float64Array(samples.map(([, value]) => (value === 'stale' ? 0 : value)))
  const marks = new StaleMarks(values)
  for (const [i, [, value]] of samples.entries()) if (value === 'stale') marks.set(i)
  return { labels, times: new Float64Array(samples.map(([time]) => time)), values }
}

export const batch = (...all: readonly Series[]): MetricBatch => batchOf({ series: all, metadata: [] })

/** An engine over a folder, with the lines of its log. */
export interface TestEngine {
  readonly engine: NativeMetricEngine
  readonly folder: string
  readonly lines: readonly string[]
  /** Sets the retention of all workspaces, which is unlimited before. */
  setRetention(retention: TelemetryRetention): void
  /** Sets the time of the engine. */
  setNow(now: number): void
  /** Ends the lease of the engine. */
  loseLease(): void
  query(workspace: string, query: string, time?: number): Promise<MetricQueryResponse>
}

/** Returns a new folder, which is deleted by `later`. */
export function newFolder(later: Later): string {
  const folder = mkdtempSync(join(memoryFolder, 'ninefold-metrics-'))
  later(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts an engine, which `later` ends. */
export function testEngine(later: Later, folder = newFolder(later)): TestEngine {
  const lines: string[] = []
  const line = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const lease = new NativeLease()
  const tenure = new AbortController()
  lease.hold(tenure.signal)
  let now = noon
  let retention: TelemetryRetention = { defaultMs: Infinity, selected: [] }
  const engine = new NativeMetricEngine({
    root: join(folder, 'observability'),
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
    setRetention(given) {
      retention = given
    },
    setNow(time) {
      now = time
    },
    loseLease: () => tenure.abort(),
    async query(workspace, query, time = now) {
      const signal = new AbortController().signal
      const { text } = await engine.query(workspace, { query, time, timeoutMs: 30_000, limit: 10_000 }, signal)
      return JSON.parse(text)
    },
  }
}
