import type { Transaction } from '../../ports/store.ts'
import type { Turn, Worker } from '../../ports/workers.ts'
import { timeFilter } from '../../resources/derived-tests.ts'
import { rowsInOrder } from '../activities/rows-in-order.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { dropTelemetry } from './dropped-telemetry.ts'
import { nextPurgeTime } from './next-purge.ts'
import { activePolicy, retentionPolicyCollection, type StoredRetentionPolicy } from './retention-store.ts'
import { signalPolicies } from './signal-policies.ts'
import { telemetryStores, type TelemetryEngines } from './telemetry-stores.ts'

/** The number of policies whose purge is due that one read returns. */
const batchSize = 100

const byNextPurge = [
  ['next_purge_time', 'TIMESTAMP'],
  ['id', 'STRING'],
] as const

type PurgeParts = Pick<ObservabilityEnvironment, 'clock' | 'failed' | 'lease' | 'store'> & TelemetryEngines

/**
 * Returns the worker that applies the retention of telemetry once a night, and deletes the telemetry of purged
 * workspaces (observability.md 4.10). It works on the server that has the files.
 */
export const purgeWorker = (parts: PurgeParts): Worker => ({
  name: 'observability.retention',
  everyMs: 60_000,
  keepsLease: () => parts.lease.isHeld,
  async run(turn) {
    if (!(await parts.lease.isServing())) return
    await dropTelemetry(parts)
    await purgeDue(parts, turn)
  },
})

/** Applies the policies whose purge is due. A purge that fails is tried again at the next run. */
async function purgeDue(parts: PurgeParts, { signal, tx }: Turn): Promise<void> {
  const { clock, failed, store } = parts
  const before = clock.now()
  const purged = new Set<string>()
  let after: Parameters<typeof rowsInOrder>[2]
  do {
    const { items, next } = await store.page(retentionPolicyCollection, dueQuery(before, after))
    for (const { value } of items) {
      if (signal.aborted) return
      const key = `${value.signal} ${value.workspace_id}`
      if (purged.has(key)) continue
      purged.add(key)
      try {
        await purgeSignal(parts, tx, value)
      } catch (error) {
        failed(error, `observability.retentionPolicies ${value.id}`)
      }
    }
    after = next
  } while (after)
}

const dueQuery = (now: number, after: Parameters<typeof rowsInOrder>[2]) => ({
  ...rowsInOrder(batchSize, byNextPurge, after),
  filter: timeFilter('next_purge_time', '<=', now),
})

/** Applies all policies for the signal of a policy in its workspace; the policies of a signal that is not stored keep nothing. */
async function purgeSignal(
  { clock, store, ...engines }: PurgeParts,
  tx: Turn['tx'],
  { signal, workspace_id: workspace }: StoredRetentionPolicy,
): Promise<void> {
  const { byDefault, retention, selected } = await signalPolicies(store, workspace, signal)
  const bytes = (await telemetryStores(engines).get(signal)?.purge(workspace, retention)) ?? { total: 0, selected: [] }
  const rest = Math.max(0, bytes.total - bytes.selected.reduce((sum, each) => sum + each, 0))
  await tx(async each => {
    const now = clock.now()
    if (byDefault) await note(each, byDefault.value, rest, now)
    for (const [i, policy] of selected.entries()) await note(each, policy.value, bytes.selected[i] ?? 0, now)
  })
}

/** Records a purge in the row of its policy, which may have changed or gone since. */
async function note(
  tx: Transaction,
  { id, workspace_id }: StoredRetentionPolicy,
  effective_bytes: number,
  now: number,
): Promise<void> {
  const stored = await tx.lock(retentionPolicyCollection, id)
  if (stored?.value.state !== activePolicy) return
  const next_purge_time = nextPurgeTime(workspace_id, now)
  await tx.update(retentionPolicyCollection, id, { ...stored.value, effective_bytes, next_purge_time }, stored.version)
}
