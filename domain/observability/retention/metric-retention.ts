import type { Reader, Stored } from '../../ports/store.ts'
import { durationMs } from '../../resources/durations.ts'
import type { MetricRetention } from '../metrics/metric-engine.ts'
import { activePolicy, retentionPolicyCollection, type StoredRetentionPolicy } from './retention-store.ts'

/** The retention of metrics of a workspace without a policy of its own, in milliseconds: 15 days (observability.md 1). */
const defaultRetentionMs = 15 * 86_400_000

/** The policies for the metrics of a workspace, and the retention that follows from them. */
export interface MetricPolicies {
  /** The default; undefined for a workspace that has not got its policies yet. */
  readonly byDefault: Stored<StoredRetentionPolicy> | undefined
  /** The ACTIVE policies with a selector, the policy that wins first. */
  readonly selected: readonly Stored<StoredRetentionPolicy>[]
  readonly retention: MetricRetention
}

/** Reads the policies for the metrics of a workspace on the native engine. */
export async function metricPolicies(reader: Reader, workspace: string): Promise<MetricPolicies> {
  const where = { workspace_id: workspace, engine: 'native', signal: 'OBSERVABILITY_SIGNAL_METRICS' }
  const policies: Stored<StoredRetentionPolicy>[] = []
  for await (const policy of reader.each(retentionPolicyCollection, { ...where, state: activePolicy }))
    policies.push(policy)
  const byDefault = policies.find(({ value }) => value.is_default)
  const selected = policies.filter(({ value }) => !value.is_default).toSorted(byPrecedence)
  return {
    byDefault,
    selected,
    retention: {
      defaultMs: byDefault ? durationMs(byDefault.value.retention) : defaultRetentionMs,
      selected: selected.map(({ value }) => ({
        selector: value.selector,
        retentionMs: durationMs(value.retention),
      })),
    },
  }
}

/** Returns the longest retention of any metric of a workspace, in milliseconds. */
export async function longestRetentionMs(reader: Reader, workspace: string): Promise<number> {
  const { defaultMs, selected } = (await metricPolicies(reader, workspace)).retention
  return Math.max(defaultMs, ...selected.map(({ retentionMs }) => retentionMs))
}

/** Orders policies: the highest priority first, then the longest retention, then by id. */
function byPrecedence({ value: one }: Stored<StoredRetentionPolicy>, { value: other }: Stored<StoredRetentionPolicy>) {
  if (one.priority !== other.priority) return other.priority - one.priority
  const longer = durationMs(other.retention) - durationMs(one.retention)
  if (longer !== 0) return longer
  return one.id < other.id ? -1 : 1
}
