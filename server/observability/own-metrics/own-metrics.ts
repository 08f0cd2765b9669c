import { hostname } from 'node:os'
import type { Observability } from '../../../domain/ports/observability.ts'
import { platformWorkspaceId } from '../../../domain/ports/reserved.ts'
import type { Worker } from '../../../domain/ports/workers.ts'
import type { ObservabilityEnvironment } from '../../../domain/observability/environment.ts'
import type { Metric } from '../../health/metrics.ts'
import { platformSamples } from './platform-samples.ts'
import { ProcessMeter } from './process-meter.ts'

interface OwnMetricsParts extends Pick<ObservabilityEnvironment, 'clock' | 'lease'> {
  readonly telemetry: Pick<Observability, 'ingest'>
  /** Returns all metrics of this server, whose values have just been read. */
  readonly serverMetrics: () => Promise<readonly Metric[]>
  readonly atEnd: (end: () => Promise<void>) => void
  /** The time between two samples, in milliseconds. */
  readonly intervalMs: number
}

/**
 * Returns the worker that writes the metrics of this server to the workspace of the platform (observability.md 4.11).
 * Of several servers, the server with the telemetry writes its own metrics. The first samples are taken after an
 * interval, because the start of a server has other work.
 */
export function ownMetrics({ atEnd, clock, intervalMs, lease, serverMetrics, telemetry }: OwnMetricsParts): Worker {
  let meter: ProcessMeter | undefined
  atEnd(async () => meter?.end())
  return {
    name: 'observability.ownMetrics',
    everyMs: intervalMs,
    keepsLease: () => lease.isHeld,
    async run({ signal }) {
      if (!(await lease.isServing()) || signal.aborted) return
      if (meter === undefined) {
        meter = new ProcessMeter()
        return
      }
      meter.next()
      const metrics = [...(await serverMetrics()), ...meter.metrics]
      const samples = platformSamples(metrics, { instance: hostname() }, clock.now())
      await telemetry.ingest(platformWorkspaceId, { metrics: samples })
    },
  }
}
