import { engineCapabilityUnsupported, engineNotFound } from '../../../output/shared/errors.ts'
import type { LogFollower } from '../logs/log-follower.ts'
import type { LogReader } from '../logs/log-reader.ts'
import type { LogStreams } from '../logs/log-streams.ts'
import type { MetricReader } from '../metrics/metric-engine.ts'
import type { ServiceGraphs, TraceSource } from '../traces/trace-engine.ts'
import type { AlertSink } from './alert-sink.ts'
import type { OtlpForward, SampleForward } from './forwarding/telemetry-forward.ts'
import type { RetentionReader } from './retention-reader.ts'

/** The name of the engine whose telemetry the platform keeps itself. */
export const nativeEngine = 'native'

/** An engine whose telemetry programs of others store; a member that is absent is not part of the stack. */
export interface Stack {
  /** The Alertmanager of the stack. */
  readonly alerts?: AlertSink
  readonly metrics?: MetricReader
  /** The service graphs in the member that keeps the metrics. */
  readonly graphs?: ServiceGraphs
  readonly logs?: LogReader
  /** The streams of the logs. */
  readonly streams?: LogStreams
  /** Follows the logs. */
  readonly tails?: LogFollower
  readonly otlp?: OtlpForward
  readonly traces?: TraceSource
  /** Takes samples of remote write; the member that keeps the metrics. */
  readonly samples?: SampleForward
  /** Tells the retentions of the members that keep telemetry. */
  readonly retention?: RetentionReader
}

/** The stacks of the setting `observability.engines`, by their names. */
export type Stacks = ReadonlyMap<string, Stack>

/** The settings that name the members of stacks, and the capabilities that a stack without them lacks, by member. */
const members: { readonly [Member in keyof Stack]-?: { readonly setting: string; readonly capability: string } } = {
  alerts: { setting: 'alertmanager_url', capability: 'ALERTS' },
  graphs: { setting: 'metrics_url', capability: 'METRICS' },
  metrics: { setting: 'metrics_url', capability: 'METRICS' },
  logs: { setting: 'logs_url', capability: 'LOGS' },
  otlp: { setting: 'otlp_url', capability: 'OTLP' },
  retention: { setting: 'metrics_url, logs_url or traces_url', capability: 'RETENTION' },
  samples: { setting: 'metrics_url', capability: 'SAMPLES' },
  streams: { setting: 'logs_url', capability: 'LOGS' },
  tails: { setting: 'logs_url', capability: 'LOGS' },
  traces: { setting: 'traces_url', capability: 'TRACES' },
}

/** Returns a member of a stack. Throws ENGINE_CAPABILITY_UNSUPPORTED for a stack without the member, and ENGINE_NOT_FOUND. */
export function stackMember<Member extends keyof Stack>(
  stacks: Stacks,
  engine: string,
  member: Member,
): NonNullable<Stack[Member]> {
  const stack = stacks.get(engine)
  if (stack === undefined) {
    const resource = { type: 'ninefold.engines', name: engine }
    throw engineNotFound('the engine is not in the setting observability.engines any more', { resource })
  }
  const found = stack[member]
  if (found !== undefined) return found
  const { capability, setting } = members[member]
  throw lacking(`the engine has no ${setting}`, capability)
}

/** The error of a call for which an engine lacks a capability. */
export const lacking = (message: string, capability: string) => engineCapabilityUnsupported(message, { capability })

/** The parts that choose the engine of metrics. */
export interface MetricReaders {
  readonly metrics: MetricReader
  readonly stacks: Stacks
}

/** Returns the reader of the metrics of an engine. Throws as `stackMember`. */
export const metricsOf = ({ metrics, stacks }: MetricReaders, engine: string): MetricReader =>
  engine === nativeEngine ? metrics : stackMember(stacks, engine, 'metrics')

/** Returns the reader of the logs of an engine. Throws as `stackMember`. */
export const logsOf = (
  { logs, stacks }: { readonly logs: LogReader; readonly stacks: Stacks },
  engine: string,
): LogReader => (engine === nativeEngine ? logs : stackMember(stacks, engine, 'logs'))

/** Returns the traces of an engine. Throws as `stackMember`. */
export const tracesOf = (
  { stacks, traces }: { readonly traces: TraceSource; readonly stacks: Stacks },
  engine: string,
): TraceSource => (engine === nativeEngine ? traces : stackMember(stacks, engine, 'traces'))

/** Returns the service graphs of an engine. Throws as `stackMember`. */
export const graphsOf = (
  { stacks, traces }: { readonly traces: ServiceGraphs; readonly stacks: Stacks },
  engine: string,
): ServiceGraphs => (engine === nativeEngine ? traces : stackMember(stacks, engine, 'graphs'))
