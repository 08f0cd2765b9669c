import type { SignalInput } from '../../../output/observability/types.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Transaction } from '../../ports/store.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import { defaultRetentionsMs } from './default-retentions.ts'
import { nextPurgeTime } from './next-purge.ts'
import { selectorKey } from './policy-selector.ts'
import { activePolicy, retentionPolicyCollection } from './retention-store.ts'

/** The name of the default of each signal. */
export const defaults: readonly { readonly signal: SignalInput; readonly name: string }[] = [
  { signal: 'OBSERVABILITY_SIGNAL_METRICS', name: 'default-metrics' },
  { signal: 'OBSERVABILITY_SIGNAL_LOGS', name: 'default-logs' },
  { signal: 'OBSERVABILITY_SIGNAL_TRACES', name: 'default-traces' },
]

/** The signals, each of which has a default in each workspace. */
export const signals = defaults.map(({ signal }) => signal)

/** Returns the members that all default policies have, with the retention in milliseconds. */
export const defaultMembers = ({ name, signal }: (typeof defaults)[number], retentionMs: number) =>
  ({
    name,
    display_name: '',
    description: '',
    labels: {},
    signal,
    selector: '',
    retention: `${retentionMs / 1000}s`,
    priority: 0,
    state: activePolicy,
    is_default: true,
    effective_bytes: 0,
  }) as const

/** Inserts the default policies that a workspace lacks. */
export async function makeDefaultPolicies(tx: Transaction, clock: Clock, workspace: string): Promise<void> {
  const now = clock.now()
  for (const { name, signal } of defaults) {
    const place = { workspace_id: workspace, engine: 'native' }
    if (await tx.exists(retentionPolicyCollection, { ...place, signal, is_default: true })) continue
    await tx.insert(retentionPolicyCollection, {
      ...standardMembers(clock, { now }),
      ...place,
      ...defaultMembers({ name, signal }, defaultRetentionsMs[signal]),
      selector_key: selectorKey([]),
      next_purge_time: nextPurgeTime(workspace, now),
    })
  }
}
