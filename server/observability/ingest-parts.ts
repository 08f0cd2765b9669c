import type { ObservabilityEnvironment } from '../../domain/observability/environment.ts'
import { dropReasons, PlatformTelemetry } from '../../domain/observability/ingest/platform-telemetry.ts'
import { ingestPlane } from '../../domain/observability/plane/ingest-plane.ts'
import { BodyMemory } from '../../domain/observability/plane/read-body.ts'
import { SenderRates } from '../../domain/observability/plane/sender-rates.ts'
import type { DataPlane } from '../../domain/ports/data-planes.ts'
import { observabilityArea as generated, type ObservabilityArea } from '../../output/observability/area.ts'
import type { AreaEnvironment } from '../area-parts.ts'
import { nativeEngine } from '../engines.ts'
import type { Metric } from '../health/metrics.ts'
import type { observabilitySettings } from './settings.ts'

type ServerParts = AreaEnvironment<ObservabilityArea, never, never, typeof observabilitySettings>

/** The ways by which telemetry comes in. */
interface IngestParts {
  /** The plane at which senders push. */
  readonly plane: DataPlane
  /** What areas send about the resources of workspaces. */
  readonly telemetry: PlatformTelemetry
}

/** Returns the ways by which telemetry comes in, and exposes what the server drops. */
export function ingestParts(
  { expose, settings }: Pick<ServerParts, 'expose' | 'settings'>,
  environment: ObservabilityEnvironment,
): IngestParts {
  const hasEngine = settings['observability.default_engine'] === nativeEngine
  const telemetry = new PlatformTelemetry({ ...environment, hasEngine })
  expose(droppedMetrics(telemetry))
  const plane = ingestPlane(generated.domain, {
    ...environment,
    rates: new SenderRates(),
    memory: new BodyMemory(),
  })
  return { plane, telemetry }
}

const droppedMetrics = (telemetry: Pick<PlatformTelemetry, 'dropped'>): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_observability_dropped_total',
    help: 'Samples and log lines about resources that this server has dropped, by reason.',
    labels: ['reason'],
    read: () => dropReasons.map(reason => ({ labels: { reason }, value: telemetry.dropped(reason) })),
  },
]
