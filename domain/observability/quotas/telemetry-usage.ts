import type { Collection, Reader, Transaction } from '../../ports/store.ts'
import type { LogEngine } from '../logs/log-engine.ts'
import type { MetricEngine, MetricUsage } from '../metrics/metric-engine.ts'
import type { TraceEngine } from '../traces/trace-engine.ts'

/** The usage of a workspace, for its quota limits. */
export interface TelemetryUsage extends MetricUsage {
  readonly logStreams: number
  /** The bytes of the lines of logs that were accepted in the last minute. */
  readonly logBytesLastMinute: number
  /** The spans that were accepted in the last minute. */
  readonly spansLastMinute: number
}

/** The usage of a workspace, as the server with its telemetry has stored it. */
export interface StoredUsage extends TelemetryUsage {
  /** The id of the workspace. */
  readonly id: string
}

/** The usage of the workspaces with telemetry, for the servers that do not have it. */
export const usageCollection: Collection<StoredUsage> = { name: 'observability_telemetry_usage', id: 'id' }

/** The usage of a workspace without telemetry. */
const unused: TelemetryUsage = {
  activeSeries: 0,
  samplesLastMinute: 0,
  logStreams: 0,
  logBytesLastMinute: 0,
  spansLastMinute: 0,
}

/** Returns the usage of a workspace that the server with its telemetry has stored last. */
export const storedUsage = async (reader: Reader, workspace: string): Promise<TelemetryUsage> =>
  (await reader.get(usageCollection, workspace))?.value ?? unused

/** The engines of a server with the telemetry. */
export interface UsedEngines {
  readonly logs: Pick<LogEngine, 'usage' | 'written'>
  readonly metrics: Pick<MetricEngine, 'usage' | 'written'>
  readonly traces: Pick<TraceEngine, 'spansLastMinute' | 'written'>
}

/** Returns the usage of a workspace on the server with its telemetry. */
export async function usageHere({ logs, metrics, traces }: UsedEngines, workspace: string): Promise<TelemetryUsage> {
  const [{ activeSeries, samplesLastMinute }, { bytesLastMinute, streams }] = await Promise.all([
    metrics.usage(workspace),
    logs.usage(workspace),
  ])
  return {
    activeSeries,
    samplesLastMinute,
    logStreams: streams,
    logBytesLastMinute: bytesLastMinute,
    spansLastMinute: traces.spansLastMinute(workspace),
  }
}

/** The parts that store usage. */
interface UsageParts extends UsedEngines {
  readonly store: Reader
  /** Runs a transaction. */
  readonly tx: <R>(fn: (tx: Transaction) => Promise<R>) => Promise<R>
}

const sameUsage = (a: TelemetryUsage, b: TelemetryUsage): boolean =>
  a.activeSeries === b.activeSeries &&
  a.samplesLastMinute === b.samplesLastMinute &&
  a.logStreams === b.logStreams &&
  a.logBytesLastMinute === b.logBytesLastMinute &&
  a.spansLastMinute === b.spansLastMinute

/** Stores the usage of the workspaces that have got telemetry on this server, if it has changed. */
export async function storeUsage({ store, tx, ...engines }: UsageParts): Promise<void> {
  const { logs, metrics, traces } = engines
  for (const workspace of new Set([...metrics.written(), ...logs.written(), ...traces.written()])) {
    const usage = await usageHere(engines, workspace)
    if (sameUsage(await storedUsage(store, workspace), usage)) continue
    await tx(async each => {
      const stored = await each.lock(usageCollection, workspace)
      const row = { id: workspace, ...usage }
      if (stored) await each.update(usageCollection, workspace, row, stored.version)
      else await each.insert(usageCollection, row)
    })
  }
}

/** Deletes the usage of a purged workspace. */
export async function purgeUsage(tx: Transaction, workspace: string): Promise<void> {
  const stored = await tx.lock(usageCollection, workspace)
  if (stored) await tx.delete(usageCollection, workspace, stored.version)
}
