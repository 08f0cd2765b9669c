import { operationMetrics } from '../../domain/observability/activities/operation-metrics.ts'
import { AlertCounts } from '../../domain/observability/alert-work/alert-counts.ts'
import { observability } from '../../domain/observability/area.ts'
import type { ObservabilityEnvironment } from '../../domain/observability/environment.ts'
import { IngestionStatuses } from '../../domain/observability/ingestion-configs/ingestion-status.ts'
import { observabilityHooks } from '../../domain/observability/hooks.ts'
import { refreshLimits } from '../../domain/observability/quotas/limits.ts'
import { signalPolicies } from '../../domain/observability/retention/signal-policies.ts'
import { RequestSpans } from '../../domain/observability/ingest/request-spans.ts'
import { RecentRetentions } from '../../domain/observability/retention/recent-retentions.ts'
import { observabilityArea as generated, type ObservabilityArea } from '../../output/observability/area.ts'
import type { ObservabilityHandlers } from '../../output/observability/handlers.ts'
import type { SignalInput } from '../../output/observability/types.ts'
import { WaitingTails } from '../../domain/observability/log-calls/waiting-tails.ts'
import { SinkCounts } from '../../domain/observability/sink-work/sink-counts.ts'
import { ScrapeCounts } from '../../domain/observability/scraping/scrape-counts.ts'
import { RunningQueries } from '../../domain/observability/metric-calls/running-queries.ts'
import type { Mailer } from '../../domain/ports/mailer.ts'
import type { Observability } from '../../domain/ports/observability.ts'
import { NativeLease } from '../../domain/resources/native-lease.ts'
import { area, type AreaModule } from '../area.ts'
import type { AreaEnvironment } from '../area-parts.ts'
import { nativeEngine } from '../engines.ts'
import { oncePer } from '../once-per.ts'
import { admitEngine } from './admit-engine.ts'
import { ingestParts } from './ingest-parts.ts'
import { requireKnownEngine } from './known-engine.ts'
import { alertMetrics } from './alert-metrics.ts'
import { engineMetrics } from './native/engine-metrics.ts'
import { logMetrics } from './native/log-metrics.ts'
import { telemetryFolder } from './native/files/places.ts'
import { NativeLogEngine } from './native/native-log-engine.ts'
import { NativeMetricEngine, type NativeEngineParts } from './native/native-metric-engine.ts'
import { NativeTraceEngine } from './native/native-trace-engine.ts'
import { telemetryCheck } from './native/telemetry-checks.ts'
import { traceMetrics } from './native/trace-metrics.ts'
import { CallsOutside } from './outbound/calls-outside.ts'
import { scrapeMetrics } from './scrape-metrics.ts'
import { sinkMetrics } from './sink-metrics.ts'
import { ownMetrics } from './own-metrics/own-metrics.ts'
import { observabilitySettings } from './settings.ts'
import { spanMetrics } from './span-metrics.ts'
import { Labelling } from './stack/forwarding/labelling.ts'
import { openStacks } from './stack/open-stacks.ts'
import { inspectMembers } from './stack/probes/inspect-members.ts'
import { StackThreads } from './stack/threads/stack-threads.ts'
import { StackCounts } from './stack/stack-counts.ts'

type Optional = 'iam' | 'storage' | 'vault'
type ObservabilityParts = AreaEnvironment<ObservabilityArea, never, Optional, typeof observabilitySettings>

/** The parts that tests replace. */
export type GivenParts = Partial<
  Pick<ObservabilityEnvironment, 'clock' | 'logs' | 'metrics' | 'outbound' | 'traces'>
> & {
  /** Takes the telemetry of other areas. */
  readonly telemetry?: Observability
}

/** Returns the area of activities, quotas and telemetry. */
export function observabilityArea({ telemetry, ...given }: GivenParts = {}): AreaModule {
  const environmentOf = oncePer((parts: ObservabilityParts) => ({ ...mountedObservability(parts), ...given }))
  const ingestOf = oncePer((parts: ObservabilityParts) => ingestParts(parts, environmentOf(parts)))
  return area<ObservabilityArea, ObservabilityHandlers, never, Optional, typeof observabilitySettings>({
    generated,
    ...observability,
    settings: observabilitySettings,
    host: ({ dataDir }, settings) => ({
      checks: [telemetryCheck(dataDir), inspectMembers(settings['observability.engines'])],
    }),
    addedEngines: ({ settings }) => settings['observability.engines'].map(({ name }) => name),
    admit: parts => (route, _context, _given, engine) =>
      admitEngine(environmentOf(parts).stacks, route.operationId, engine),
    handlers: parts => observability.handlers(environmentOf(parts)),
    hooks: parts => observabilityHooks(environmentOf(parts)),
    forms: () => observability.forms,
    workers: parts => {
      const environment = environmentOf(parts)
      const own = telemetry ?? ingestOf(parts).telemetry
      const sending = { ...environment, telemetry: own }
      const { atEnd, serverMetrics, settings } = parts
      const intervalMs = settings['observability.own_metrics_interval']
      return [
        ...observability.workers(environment),
        operationMetrics(sending),
        ownMetrics({ ...sending, atEnd, serverMetrics, intervalMs }),
      ]
    },
    planes: parts => [ingestOf(parts).plane],
    provides: parts => ({ observability: telemetry ?? ingestOf(parts).telemetry }),
    start: (tx, _now, { settings }) => refreshLimits(tx, settings['observability.limits']),
  })
}

function mountedObservability(parts: ObservabilityParts): ObservabilityEnvironment {
  const { atEnd, baseUrl, clock, dataDir, expose, guard, log, settings, store, watchCalls } = parts
  const failed = (err: unknown, subject: string) =>
    log.warn({ err, subject }, 'work of observability failed; it is tried again')
  const lease = new NativeLease()
  const alertCounts = new AlertCounts()
  expose(alertMetrics(alertCounts))
  const scrapeCounts = new ScrapeCounts()
  expose(scrapeMetrics(scrapeCounts))
  const partsOf = (signal: SignalInput): NativeEngineParts => ({
    ...parts,
    root: telemetryFolder(dataDir),
    lease,
    retentionOf: async workspace => (await signalPolicies(store, workspace, signal)).retention,
  })
  const metrics = new NativeMetricEngine(partsOf('OBSERVABILITY_SIGNAL_METRICS'))
  const logs = new NativeLogEngine(partsOf('OBSERVABILITY_SIGNAL_LOGS'))
  const traces = new NativeTraceEngine(partsOf('OBSERVABILITY_SIGNAL_TRACES'))
  const tails = new WaitingTails()
  const sinkCounts = new SinkCounts()
  requireKnownEngine(settings['observability.default_engine'], settings['observability.engines'])
  const stackCounts = new StackCounts()
  const labelling = new Labelling(log)
  const engines = settings['observability.engines']
  const threads = new StackThreads({ settings: engines, counts: stackCounts, log })
  expose(stackCounts.metrics())
  expose(engineMetrics(metrics))
  expose(logMetrics(logs, tails))
  expose(traceMetrics(traces))
  const retentions = new RecentRetentions(store)
  const hasEngine = settings['observability.default_engine'] === nativeEngine
  const spans = new RequestSpans({ clock, traces, retentions, hasEngine, failed })
  watchCalls(entry => spans.record(entry))
  expose(spanMetrics(spans))
  expose(sinkMetrics(sinkCounts))
  const statuses = new IngestionStatuses({ store, failed })
  atEnd(() => statuses.store())
  atEnd(() => labelling.end())
  atEnd(() => threads.end())
  atEnd(() => metrics.end())
  atEnd(() => logs.end())
  atEnd(() => spans.end().then(() => traces.end()))
  return {
    ...parts,
    limits: settings['observability.limits'],
    lease,
    alertCounts,
    logs,
    scrapeCounts,
    sinkCounts,
    sinkLogs: logs,
    metrics,
    traces,
    stacks: openStacks(engines, { clock, counts: stackCounts, labelling, threads }),
    tails,
    outbound: new CallsOutside(settings['observability.allow_private_targets']),
    retentions,
    statuses,
    ingestBaseUrl: () => (settings['observability.ingest_base_url'] ?? baseUrl()).replace(/\/+$/, ''),
    queries: new RunningQueries(),
    mailer: guard?.mailer ?? noMailer,
    failed,
  }
}

/** The mailer of a server whose guard sends no mail. */
const noMailer: Mailer = {
  isConfigured: false,
  send: () => Promise.reject(new Error('this server sends no mail')),
}
