import { observability } from '../../domain/observability/area.ts'
import type { ObservabilityEnvironment } from '../../domain/observability/environment.ts'
import { IngestionStatuses } from '../../domain/observability/ingestion-configs/ingestion-status.ts'
import { observabilityHooks } from '../../domain/observability/hooks.ts'
import { refreshLimits } from '../../domain/observability/quotas/limits.ts'
import { observabilityArea as generated, type ObservabilityArea } from '../../output/observability/area.ts'
import type { ObservabilityHandlers } from '../../output/observability/handlers.ts'
import { engineCapabilityUnsupported } from '../../output/shared/errors.ts'
import type { MetricEngine } from '../../domain/observability/metrics/metric-engine.ts'
import type { Mailer } from '../../domain/ports/mailer.ts'
import { unimplemented } from '../../runtime/errors.ts'
import type { AreaModule } from '../area.ts'
import { areaInProgress, records, type BuiltResources } from '../area-in-progress.ts'
import type { AreaEnvironment } from '../area-parts.ts'
import { nativeEngine } from '../engines.ts'
import { oncePer } from '../once-per.ts'
import { CallsOutside } from './outbound/calls-outside.ts'
import { observabilitySettings } from './settings.ts'

type Optional = 'vault'
type ObservabilityParts = AreaEnvironment<ObservabilityArea, never, Optional, typeof observabilitySettings>

/** The parts that tests replace. */
export type GivenParts = Partial<Pick<ObservabilityEnvironment, 'clock' | 'metrics' | 'outbound'>>

/** Returns the area of activities, quotas and telemetry; the resources that are not in `built` are not built yet. */
export function observabilityArea(given: GivenParts = {}): AreaModule {
  const environmentOf = oncePer((parts: ObservabilityParts) => ({ ...mountedObservability(parts), ...given }))
  return areaInProgress<ObservabilityArea, ObservabilityHandlers, never, Optional, typeof observabilitySettings>({
    generated,
    ...observability,
    settings: observabilitySettings,
    addedEngines: ({ settings }) => settings['observability.engines'].map(({ name }) => name),
    admit: () => admitEngine,
    built: { ...records(generated.filters), ...builtWith(environmentOf) },
    hooks: parts => observabilityHooks(environmentOf(parts)),
    forms: () => observability.forms,
    workers: parts => observability.workers(environmentOf(parts)),
    start: (tx, _now, { settings }) => refreshLimits(tx, settings['observability.limits']),
  })
}

function mountedObservability(parts: ObservabilityParts): ObservabilityEnvironment {
  const { atEnd, baseUrl, log, settings, store } = parts
  const failed = (err: unknown, subject: string) =>
    log.warn({ err, subject }, 'work of observability failed; it is tried again')
  const statuses = new IngestionStatuses({ store, failed })
  atEnd(() => statuses.store())
  return {
    ...parts,
    limits: settings['observability.limits'],
    metrics: unbuilt<MetricEngine>('metrics'),
    mailer: parts.guard?.mailer ?? noMailer,
    failed,
    outbound: new CallsOutside(settings['observability.allow_private_targets']),
    statuses,
    ingestBaseUrl: () => (settings['observability.ingest_base_url'] ?? baseUrl()).replace(/\/+$/, ''),
  }
}

/** The mailer of a server whose guard sends no mail. */
const noMailer: Mailer = {
  isConfigured: false,
  send: () => Promise.reject(new Error('this server sends no mail')),
}

/** Returns parts whose functions all answer UNIMPLEMENTED, for parts that are not built. */
const unbuilt = <T extends object>(what: string): T =>
  new Proxy({}, { get: () => () => Promise.reject(unimplemented(what)) }) as T

type Built = BuiltResources<ObservabilityHandlers, ObservabilityParts>

/** Returns the built resources of the area as functions of the parts of the server. */
function builtWith(environmentOf: (parts: ObservabilityParts) => ObservabilityEnvironment): Built {
  const made = Object.entries(observability.built).map(
    ([name, make]) => [name, (parts: ObservabilityParts) => make(environmentOf(parts))] as const,
  )
  // The names and the handlers of `built` stay together.
  return Object.fromEntries(made) as Built
}

/** Throws ENGINE_CAPABILITY_UNSUPPORTED for a call on an engine other than the native engine. */
function admitEngine(_route: unknown, _context: unknown, _given: unknown, engine: string | undefined): void {
  if (engine === undefined || engine === nativeEngine) return
  const message = 'stacks of other software are not served; use the engine native'
  throw engineCapabilityUnsupported(message, { capability: 'STACK' })
}
