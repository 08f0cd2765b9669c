import type { Stack } from '../../../domain/observability/stacks/stack.ts'
import type { Clock } from '../../../domain/ports/clock.ts'
import { LokiApi } from './logs/loki-api.ts'
import { LokiFollower } from './logs/loki-follower.ts'
import { LokiLogs } from './logs/loki-logs.ts'
import { LokiStreams } from './logs/loki-streams.ts'
import { PrometheusGraphs } from './metrics/prometheus-graphs.ts'
import { PrometheusMetrics } from './metrics/prometheus-metrics.ts'
import { lokiRetention } from './retention/loki-retention.ts'
import { metricRetention, withoutPrefix } from './retention/metric-retention.ts'
import { StackRetention } from './retention/stack-retention.ts'
import { tempoRetention } from './retention/tempo-retention.ts'
import { isJaeger, memberClient } from './stack-clients.ts'
import type { RequestCounts } from './stack-counts.ts'
import type { StackSetting } from './stack-setting.ts'
import { Jaeger } from './traces/jaeger.ts'
import { StackTraces } from './traces/stack-traces.ts'
import { Tempo } from './traces/tempo.ts'

/** The members of a stack that read its telemetry. */
export type StackReaders = Pick<Stack, 'graphs' | 'logs' | 'metrics' | 'retention' | 'streams' | 'tails' | 'traces'>

/** What the readers of all stacks share. */
export interface ReaderParts {
  readonly clock: Pick<Clock, 'now'>
  readonly counts: RequestCounts
}

/** Returns the readers of stacks, by the names of the stacks. */
export const openReaders = (settings: readonly StackSetting[], parts: ReaderParts): ReadonlyMap<string, StackReaders> =>
  new Map(settings.map(setting => [setting.name, readersOf(setting, parts)]))

function readersOf(setting: StackSetting, { clock, counts }: ReaderParts): StackReaders {
  const metrics = memberClient(setting, 'metrics_url', counts)
  const logs = memberClient(setting, 'logs_url', counts)
  const traces = memberClient(setting, 'traces_url', counts)
  const retention = new StackRetention({
    OBSERVABILITY_SIGNAL_METRICS: metrics && metricRetention(metrics, withoutPrefix(metrics, counts)),
    OBSERVABILITY_SIGNAL_LOGS: logs && lokiRetention(logs),
    // Jaeger does not tell how long its store keeps traces.
    OBSERVABILITY_SIGNAL_TRACES: traces && !isJaeger(traces) ? tempoRetention(traces) : undefined,
  })
  return {
    ...(metrics && { graphs: new PrometheusGraphs(metrics, clock), metrics: new PrometheusMetrics(metrics) }),
    ...(logs && lokiReaders(new LokiApi(logs))),
    ...((metrics ?? logs ?? traces) && { retention }),
    ...(traces && { traces: new StackTraces(isJaeger(traces) ? new Jaeger(traces) : new Tempo(traces)) }),
  }
}

const lokiReaders = (api: LokiApi): StackReaders => ({
  logs: new LokiLogs(api),
  streams: new LokiStreams(api),
  tails: new LokiFollower(api),
})
