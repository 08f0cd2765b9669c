import type { ObservabilityEnvironment } from '../environment.ts'
import { countOf, isCounted } from './counts.ts'
import type { QuotaName } from './definitions.ts'

/** The number of seconds over which rates are averaged. */
const rateSeconds = 60

type UsageParts = Pick<ObservabilityEnvironment, 'logs' | 'metrics' | 'queries' | 'store' | 'traces'>

/**
 * Returns the usage of a quota in a workspace at `now`, in milliseconds since 1970: of rates that of the last minute, of
 * queries and spans those of this server. Rejects with ENGINE_UNAVAILABLE for telemetry that another server keeps.
 */
export async function usageOf(
  { logs, metrics, queries, store, traces }: UsageParts,
  name: QuotaName,
  workspace: string,
  now: number,
): Promise<number> {
  if (isCounted(name)) return countOf(store, name, workspace, now)
  if (name === 'concurrentQueries') return queries.of(workspace)
  if (name === 'activeSeries') return (await metrics.usage(workspace)).activeSeries
  if (name === 'samplesPerSecond') return Math.ceil((await metrics.usage(workspace)).samplesLastMinute / rateSeconds)
  if (name === 'logStreams') return (await logs.usage(workspace)).streams
  if (name === 'logBytesPerSecond') return Math.ceil((await logs.usage(workspace)).bytesLastMinute / rateSeconds)
  return Math.ceil(traces.spansLastMinute(workspace) / rateSeconds)
}
