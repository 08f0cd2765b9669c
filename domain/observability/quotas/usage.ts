import type { ObservabilityEnvironment } from '../environment.ts'
import { countOf, isCounted } from './counts.ts'
import type { QuotaName } from './definitions.ts'
import { storedUsage } from './telemetry-usage.ts'

/** The number of seconds over which rates are averaged. */
const rateSeconds = 60

/**
 * Returns the usage of a quota in a workspace at `now`, in milliseconds since 1970: of rates that of the last minute, of
 * queries those of this server. The usage of metrics that another server keeps is that of at most about a minute ago. Logs
 * and traces are not stored yet, and use nothing.
 */
export async function usageOf(
  { lease, metrics, queries, store }: Pick<ObservabilityEnvironment, 'lease' | 'metrics' | 'queries' | 'store'>,
  name: QuotaName,
  workspace: string,
  now: number,
): Promise<number> {
  if (isCounted(name)) return countOf(store, name, workspace, now)
  if (name === 'concurrentQueries') return queries.of(workspace)
  if (name !== 'activeSeries' && name !== 'samplesPerSecond') return 0
  const isHere = await lease.isServing()
  const usage = await (isHere ? metrics.usage(workspace) : storedUsage(store, workspace))
  return name === 'activeSeries' ? usage.activeSeries : Math.ceil(usage.samplesLastMinute / rateSeconds)
}
