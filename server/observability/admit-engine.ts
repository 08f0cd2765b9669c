import { lacking, nativeEngine, stackMember, type Stack, type Stacks } from '../../domain/observability/stacks/stack.ts'

/** What an operation needs of a stack: a member, no member, or a capability that no stack has (observability.md 6). */
type Need = keyof Stack | 'nothing' | { readonly capability: string }

const [retention, sinks] = [{ capability: 'RETENTION' }, { capability: 'LOG_SINKS' }] as const

/** The needs of all operations whose paths name an engine. */
export const stackNeeds: Readonly<Record<string, Need>> = {
  queryMetrics: 'metrics',
  queryMetricsRange: 'metrics',
  listMetricDescriptors: 'metrics',
  listMetricLabels: 'metrics',
  queryLogs: 'logs',
  tailLogs: 'tails',
  listLogStreams: 'streams',
  getTrace: 'traces',
  searchTraces: 'traces',
  getServiceGraph: 'graphs',
  // The need of a rule follows from its language (`requireEvaluating`).
  listAlertRules: 'nothing',
  createAlertRule: 'nothing',
  updateAlertRule: 'nothing',
  getAlertRule: 'nothing',
  deleteAlertRule: 'nothing',
  // The need of a config follows from its kind (`requireServed`).
  listIngestionConfigs: 'nothing',
  createIngestionConfig: 'nothing',
  getIngestionConfig: 'nothing',
  updateIngestionConfig: 'nothing',
  listRetentionPolicies: 'retention',
  createRetentionPolicy: retention,
  getRetentionPolicy: 'retention',
  updateRetentionPolicy: retention,
  listLogSinks: sinks,
  createLogSink: sinks,
  getLogSink: sinks,
  deleteLogSink: sinks,
  updateLogSink: sinks,
}

/**
 * Throws ENGINE_CAPABILITY_UNSUPPORTED for an operation that an engine does not serve. The native engine serves all
 * operations.
 */
export function admitEngine(stacks: Stacks, operationId: string, engine: string | undefined): void {
  if (engine === undefined || engine === nativeEngine) return
  const need = stackNeeds[operationId] ?? { capability: operationId }
  if (typeof need === 'object') throw lacking(`stacks of other software do not serve ${operationId}`, need.capability)
  if (need !== 'nothing') stackMember(stacks, engine, need)
}
