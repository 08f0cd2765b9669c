import type { LogLine, MetricSample, Observability, Telemetry } from '../../ports/observability.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { ObservabilityArea } from '../../../output/observability/area.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { LogBatch } from '../logs/log-batch.ts'
import type { LogEngine } from '../logs/log-engine.ts'
import type { MetricEngine } from '../metrics/metric-engine.ts'
import { labelKey } from '../metrics/label-key.ts'
import type { MetricBatch } from '../metrics/metric-batch.ts'
import type { RecentRetentions } from '../retention/recent-retentions.ts'
import { sortedLabels } from './label-rules.ts'
import { LogCollector } from './log-collector.ts'
import { cutLine } from './log-line.ts'
import { SampleBatch } from './sample-batch.ts'

/** The largest number of samples and lines that wait for the engine at one time. */
const maxWaiting = 100_000

/** The reasons for which telemetry of the platform is dropped. */
export const dropReasons = ['engine', 'queue', 'refused', 'workspace'] as const

/** A reason for which telemetry of the platform is dropped. */
export type DropReason = (typeof dropReasons)[number]

/** The parts for the telemetry of the platform. */
export interface PlatformTelemetryParts extends Pick<Parts<ObservabilityArea>, 'store' | 'taxonomy'> {
  readonly logs: Pick<LogEngine, 'write'>
  readonly metrics: Pick<MetricEngine, 'write'>
  readonly retentions: Pick<RecentRetentions, 'of'>
  /** Whether `observability.default_engine` is an engine of this server. */
  readonly hasEngine: boolean
  /** Receives the errors of the engine. */
  readonly failed: (error: unknown, subject: string) => void
}

/** The lines and the samples that are written in one call. */
type Counted = Required<Telemetry>

/** Takes the telemetry that areas send about the resources of workspaces (observability.md 4.11). */
export class PlatformTelemetry implements Observability {
  readonly #parts: PlatformTelemetryParts
  readonly #dropped = new Map<DropReason, number>()
  #waiting = 0

  constructor(parts: PlatformTelemetryParts) {
    this.#parts = parts
  }

  /** Returns the number of samples and lines that this server has dropped for a reason. */
  dropped(reason: DropReason): number {
    return this.#dropped.get(reason) ?? 0
  }

  async ingest(workspace: string, { logs = [], metrics = [] }: Telemetry): Promise<void> {
    const count = logs.length + metrics.length
    if (count === 0) return
    if (!this.#parts.hasEngine) return this.#drop('engine', count)
    if (this.#waiting + count > maxWaiting) return this.#drop('queue', count)
    this.#waiting += count
    try {
      await this.#write(workspace, { logs, metrics })
    } finally {
      this.#waiting -= count
    }
  }

  async #write(workspace: string, { logs, metrics }: Counted): Promise<void> {
    const { failed, retentions, store, taxonomy } = this.#parts
    try {
      await taxonomy.checkActive(store, workspace)
    } catch (error) {
      if (!(error instanceof ApiError)) failed(error, `taxonomy.workspaces ${workspace}`)
      return this.#drop('workspace', logs.length + metrics.length)
    }
    // The telemetry of the platform does not use up the quotas of the workspace.
    await Promise.all([
      this.#counted(workspace, metrics.length, async () => {
        const retentionMs = await retentions.of(workspace, 'OBSERVABILITY_SIGNAL_METRICS')
        return this.#parts.metrics.write(workspace, batchOf(metrics), { activeSeries: -1, retentionMs })
      }),
      this.#counted(workspace, logs.length, async () => {
        const retentionMs = await retentions.of(workspace, 'OBSERVABILITY_SIGNAL_LOGS')
        return this.#parts.logs.write(workspace, logBatchOf(logs), { logStreams: -1, retentionMs })
      }),
    ])
  }

  /** Writes samples or lines, and counts those that are not written. */
  async #counted(workspace: string, count: number, write: () => Promise<{ readonly accepted: number }>): Promise<void> {
    if (count === 0) return
    try {
      const { accepted } = await write()
      this.#drop('refused', Math.max(0, count - accepted))
    } catch (error) {
      const isExpected = error instanceof ApiError && error.rpc === 'UNAVAILABLE'
      if (!isExpected) this.#parts.failed(error, `taxonomy.workspaces ${workspace}`)
      this.#drop('engine', count)
    }
  }

  #drop(reason: DropReason, count: number): void {
    if (count > 0) this.#dropped.set(reason, this.dropped(reason) + count)
  }
}

function batchOf(samples: readonly MetricSample[]): MetricBatch {
  const batch = new SampleBatch()
  for (const { labels, name, time, type, value } of samples) {
    batch.add(labelKey({ ...labels, __name__: name }), time, value)
    batch.describe({ name, type, unit: '', description: '' })
  }
  return batch.finish()
}

function logBatchOf(lines: readonly LogLine[]): LogBatch {
  const collector = new LogCollector()
  for (const { labels, line, time } of lines) {
    const cut = cutLine(line)
    collector.stream(sortedLabels(Object.entries(labels))).push({
      time: BigInt(Math.floor(time)) * 1_000_000n,
      line: cut,
      metadata: cut === line ? {} : { truncated: 'true' },
      severity: 'OBSERVABILITY_LOG_SEVERITY_UNSPECIFIED',
      traceId: '',
      spanId: '',
    })
  }
  return collector.finish()
}
