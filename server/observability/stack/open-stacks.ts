import type { Stack, Stacks } from '../../../domain/observability/stacks/stack.ts'
import type { Clock } from '../../../domain/ports/clock.ts'
import { Alertmanager } from './alertmanager.ts'
import { OtlpSender, SampleSender } from './forwarding/forwards.ts'
import type { Labelling } from './forwarding/labelling.ts'
import { LokiApi } from './logs/loki-api.ts'
import { LokiFollower } from './logs/loki-follower.ts'
import { LokiLogs } from './logs/loki-logs.ts'
import { LokiStreams } from './logs/loki-streams.ts'
import type { MemberSetting } from './member.ts'
import { MemberClient } from './member-client.ts'
import { PrometheusGraphs } from './metrics/prometheus-graphs.ts'
import { PrometheusMetrics } from './metrics/prometheus-metrics.ts'
import { lokiRetention } from './retention/loki-retention.ts'
import { metricRetention, withoutPrefix } from './retention/metric-retention.ts'
import { StackRetention } from './retention/stack-retention.ts'
import { tempoRetention } from './retention/tempo-retention.ts'
import { Jaeger } from './traces/jaeger.ts'
import { StackTraces } from './traces/stack-traces.ts'
import { Tempo } from './traces/tempo.ts'
import type { StackCounts } from './stack-counts.ts'

/** The setting of a stack. */
export type StackSetting = {
  readonly name: string
  readonly multi_tenant: boolean
} & { readonly [Setting in MemberSetting]?: string | undefined }

/** What all stacks share. */
export interface StackParts {
  readonly clock: Pick<Clock, 'now'>
  readonly counts: StackCounts
  readonly labelling: Labelling
}

/** Returns the stacks of the setting `observability.engines`, by their names. */
export const openStacks = (settings: readonly StackSetting[], parts: StackParts): Stacks =>
  new Map(settings.map(setting => [setting.name, openStack(setting, parts)]))

/** Returns the client of a member of a stack; undefined without the member. */
export function memberClient(
  setting: StackSetting,
  member: MemberSetting,
  counts: StackCounts,
): MemberClient | undefined {
  const url = setting[member]
  if (url === undefined) return undefined
  return new MemberClient({ engine: setting.name, setting: member, url, hasTenants: setting.multi_tenant }, counts)
}

function openStack(setting: StackSetting, { clock, counts, labelling }: StackParts): Stack {
  const clientOf = (member: MemberSetting) => memberClient(setting, member, counts)
  const metrics = clientOf('metrics_url')
  const alertmanager = clientOf('alertmanager_url')
  const logs = clientOf('logs_url')
  const otlp = clientOf('otlp_url')
  const traces = clientOf('traces_url')
  const retention = new StackRetention({
    OBSERVABILITY_SIGNAL_METRICS: metrics && metricRetention(metrics, withoutPrefix(metrics, counts)),
    OBSERVABILITY_SIGNAL_LOGS: logs && lokiRetention(logs),
    // Jaeger does not tell how long its store keeps traces.
    OBSERVABILITY_SIGNAL_TRACES: traces && !isJaeger(traces) ? tempoRetention(traces) : undefined,
  })
  return {
    ...(alertmanager && { alerts: new Alertmanager(alertmanager) }),
    ...(metrics && {
      graphs: new PrometheusGraphs(metrics, clock),
      metrics: new PrometheusMetrics(metrics),
      samples: new SampleSender(metrics, labelling),
    }),
    ...(logs && lokiMembers(new LokiApi(logs))),
    ...(otlp && { otlp: new OtlpSender(otlp, labelling) }),
    ...((metrics ?? logs ?? traces) && { retention }),
    ...(traces && { traces: new StackTraces(isJaeger(traces) ? new Jaeger(traces) : new Tempo(traces)) }),
  }
}

const lokiMembers = (api: LokiApi) => ({
  logs: new LokiLogs(api),
  streams: new LokiStreams(api),
  tails: new LokiFollower(api),
})

/** Whether an address is that of the API of Jaeger, which has its version in the path. */
export const isJaeger = ({ member }: MemberClient): boolean => /\/api\/v3\/*$/.test(new URL(member.url).pathname)
