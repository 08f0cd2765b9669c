import type { SignalInput } from '../../../output/observability/types.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import { durationMs } from '../../resources/durations.ts'
import { defaultRetentionsMs } from './default-retentions.ts'
import { activePolicy, retentionPolicyCollection, type StoredRetentionPolicy } from './retention-store.ts'
import type { TelemetryRetention } from '../telemetry-retention.ts'

/** The policies for a signal in a workspace, and the retention that follows from them. */
export interface SignalPolicies {
  /** The default; undefined for a workspace that has not got its policies yet. */
  readonly byDefault: Stored<StoredRetentionPolicy> | undefined
  /** The ACTIVE policies with a selector, the policy that wins first. */
  readonly selected: readonly Stored<StoredRetentionPolicy>[]
  readonly retention: TelemetryRetention
}

/** Reads the policies for a signal in a workspace on the native engine. */
export async function signalPolicies(reader: Reader, workspace: string, signal: SignalInput): Promise<SignalPolicies> {
  const where = { workspace_id: workspace, engine: 'native', signal }
  const policies: Stored<StoredRetentionPolicy>[] = []
  for await (const policy of reader.each(retentionPolicyCollection, { ...where, state: activePolicy }))
    policies.push(policy)
  const byDefault = policies.find(({ value }) => value.is_default)
  const selected = policies.filter(({ value }) => !value.is_default).toSorted(byPrecedence)
  return {
    byDefault,
    selected,
    retention: {
      defaultMs: byDefault ? durationMs(byDefault.value.retention) : defaultRetentionsMs[signal],
      selected: selected.map(({ value }) => ({
        selector: value.selector,
        retentionMs: durationMs(value.retention),
      })),
    },
  }
}

/** Returns the longest retention of any telemetry of a signal in a workspace, in milliseconds. */
export async function longestRetentionMs(reader: Reader, workspace: string, signal: SignalInput): Promise<number> {
  const { defaultMs, selected } = (await signalPolicies(reader, workspace, signal)).retention
  return Math.max(defaultMs, ...selected.map(({ retentionMs }) => retentionMs))
}

/** Orders policies: the highest priority first, then the longest retention, then by id. */
function byPrecedence({ value: one }: Stored<StoredRetentionPolicy>, { value: other }: Stored<StoredRetentionPolicy>) {
  if (one.priority !== other.priority) return other.priority - one.priority
  const longer = durationMs(other.retention) - durationMs(one.retention)
  if (longer !== 0) return longer
  return one.id < other.id ? -1 : 1
}
