import type { MetricSample, Observability, Telemetry } from '../../ports/observability.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { ObservabilityArea } from '../../../output/observability/area.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { MetricEngine } from '../metrics/metric-engine.ts'
import type { MetricBatch } from '../metrics/samples.ts'
import { defaultRetentionsMs } from '../retention/default-retentions.ts'
import { sortedLabels } from './label-rules.ts'
import { SampleBatch } from './sample-batch.ts'

/** The largest number of samples that wait for the engine at one time. */
const maxWaiting = 100_000

/** The reasons for which telemetry of the platform is dropped. */
export const dropReasons = ['engine', 'logs', 'queue', 'refused', 'workspace'] as const

/** A reason for which telemetry of the platform is dropped. */
export type DropReason = (typeof dropReasons)[number]

/** The parts for the telemetry of the platform. */
export interface PlatformTelemetryParts extends Pick<Parts<ObservabilityArea>, 'store' | 'taxonomy'> {
  readonly metrics: Pick<MetricEngine, 'write'>
  /** Whether `observability.default_engine` is an engine of this server. */
  readonly hasEngine: boolean
  /** Receives the errors of the engine. */
  readonly failed: (error: unknown, subject: string) => void
}

/**
 * Takes the telemetry that areas send about the resources of workspaces (observability.md 4.11). Log lines are dropped and
 * counted, because no engine stores logs yet.
 */
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
    this.#drop('logs', logs.length)
    if (metrics.length === 0) return
    if (!this.#parts.hasEngine) return this.#drop('engine', metrics.length)
    if (this.#waiting + metrics.length > maxWaiting) return this.#drop('queue', metrics.length)
    this.#waiting += metrics.length
    try {
      await this.#write(workspace, metrics)
    } finally {
      this.#waiting -= metrics.length
    }
  }

  async #write(workspace: string, samples: readonly MetricSample[]): Promise<void> {
    const { failed, metrics, store, taxonomy } = this.#parts
    try {
      await taxonomy.checkActive(store, workspace)
    } catch (error) {
      if (!(error instanceof ApiError)) failed(error, `taxonomy.workspaces ${workspace}`)
      return this.#drop('workspace', samples.length)
    }
    try {
      // The metrics of the platform do not use up the quotas of the workspace.
      const limits = { activeSeries: -1, retentionMs: defaultRetentionsMs.OBSERVABILITY_SIGNAL_METRICS }
      const { accepted } = await metrics.write(workspace, batchOf(samples), limits)
      this.#drop('refused', Math.max(0, samples.length - accepted))
    } catch (error) {
      if (!(error instanceof ApiError && error.rpc === 'UNAVAILABLE')) failed(error, `taxonomy.workspaces ${workspace}`)
      this.#drop('engine', samples.length)
    }
  }

  #drop(reason: DropReason, count: number): void {
    if (count > 0) this.#dropped.set(reason, this.dropped(reason) + count)
  }
}

function batchOf(samples: readonly MetricSample[]): MetricBatch {
  const batch = new SampleBatch()
  for (const { labels, name, time, type, value } of samples) {
    batch.add(sortedLabels([['__name__', name], ...Object.entries(labels)]), time, value)
    batch.describe({ name, type, unit: '', description: '' })
  }
  return batch.finish()
}
