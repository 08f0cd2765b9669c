import type { ObservabilityEnvironment } from '../environment.ts'
import { countOf, isCounted } from './counts.ts'
import type { QuotaName } from './definitions.ts'
import { storedUsage } from './telemetry-usage.ts'

/** The number of seconds over which rates are averaged. */
const rateSeconds = 60

type UsageParts = Pick<ObservabilityEnvironment, 'lease' | 'logs' | 'metrics' | 'queries' | 'store' | 'traces'>

/**
 * Returns the usage of a quota in a workspace at `now`, in milliseconds since 1970: of rates that of the last minute, of
 * queries and spans those of this server. The usage of metrics that another server keeps is that of at most about a minute
 * ago. Rejects with ENGINE_UNAVAILABLE for logs that another server keeps.
 */
export async function usageOf(
  { lease, logs, metrics, queries, store, traces }: UsageParts,
  name: QuotaName,
  workspace: string,
  now: number,
): Promise<number> {
  if (isCounted(name)) return countOf(store, name, workspace, now)
  if (name === 'concurrentQueries') return queries.of(workspace)
  if (name === 'logStreams') return (await logs.usage(workspace)).streams
  if (name === 'logBytesPerSecond') return Math.ceil((await logs.usage(workspace)).bytesLastMinute / rateSeconds)
  if (name === 'spansPerSecond') return Math.ceil(traces.spansLastMinute(workspace) / rateSeconds)
  const isHere = await lease.isServing()
  const usage = await (isHere ? metrics.usage(workspace) : storedUsage(store, workspace))
  return name === 'activeSeries' ? usage.activeSeries : Math.ceil(usage.samplesLastMinute / rateSeconds)
}
