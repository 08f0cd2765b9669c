import type { ObservabilityEnvironment } from '../environment.ts'
import { countOf, isCounted } from './counts.ts'
import type { QuotaName } from './definitions.ts'
import { storedUsage, usageHere } from './telemetry-usage.ts'

/** The number of seconds over which rates are averaged. */
const rateSeconds = 60

type UsageParts = Pick<ObservabilityEnvironment, 'lease' | 'logs' | 'metrics' | 'queries' | 'store' | 'traces'>

/**
 * Returns the usage of a quota in a workspace at `now`, in milliseconds since 1970: of rates that of the last minute, of
 * queries that of this server. The usage of telemetry that another server keeps is that of at most about a minute ago.
 */
export async function usageOf(
  { lease, queries, store, ...engines }: UsageParts,
  name: QuotaName,
  workspace: string,
  now: number,
): Promise<number> {
  if (isCounted(name)) return countOf(store, name, workspace, now)
  if (name === 'concurrentQueries') return queries.of(workspace)
  const usage = await ((await lease.isServing()) ? usageHere(engines, workspace) : storedUsage(store, workspace))
  switch (name) {
    case 'activeSeries':
      return usage.activeSeries
    case 'logStreams':
      return usage.logStreams
    case 'samplesPerSecond':
      return Math.ceil(usage.samplesLastMinute / rateSeconds)
    case 'logBytesPerSecond':
      return Math.ceil(usage.logBytesLastMinute / rateSeconds)
    case 'spansPerSecond':
      return Math.ceil(usage.spansLastMinute / rateSeconds)
  }
}
