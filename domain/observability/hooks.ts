import type { Reader } from '../ports/store.ts'
import type { Holding, Taxonomy, WorkspaceHooks } from '../ports/taxonomy.ts'
import { purgeRows } from '../resources/workspace-hooks.ts'
import { purgeAlerts } from './alert-rules/purge-alerts.ts'
import type { ObservabilityEnvironment } from './environment.ts'
import { ingestionConfigKind } from './ingestion-configs/ingestion-config-kind.ts'
import { ingestionStatusCollection } from './ingestion-configs/ingestion-status-store.ts'
import { countOpenSilences } from './silences/active-silences.ts'
import { silenceKind } from './silences/silences-store.ts'
import { logSinkKind } from './sinks/log-sink-kind.ts'
import { purgeExports } from './sinks/sink-exports-store.ts'
import { makeLimits, purgeLimits } from './quotas/limits.ts'
import { purgeUsage } from './quotas/telemetry-usage.ts'
import { makeDefaultPolicies } from './retention/default-policies.ts'
import { dropTelemetry, recordDrop } from './retention/dropped-telemetry.ts'
import { retentionPolicyCollection, retentionPolicyKind } from './retention/retention-store.ts'
import type { TelemetryEngines, TelemetryStore } from './retention/telemetry-stores.ts'

/** The parts of the hooks. */
export interface HookParts
  extends
    Pick<ObservabilityEnvironment, 'clock' | 'failed' | 'lease' | 'limits' | 'store'>,
    TelemetryEngines<Pick<TelemetryStore, 'drop'>> {
  readonly taxonomy: Pick<Taxonomy, 'consume'>
}

/** Returns the hooks of the area, in addition to the hooks of its kinds. */
export const observabilityHooks = (environment: HookParts): Partial<WorkspaceHooks> => ({
  async workspaceCreated(tx, workspace) {
    await makeLimits(tx, environment.limits, workspace)
    await makeDefaultPolicies(tx, environment.clock, workspace)
  },
  holdings: (reader, workspace) => holdings(reader, workspace, environment.clock.now()),
  async purgeWorkspace(workspace) {
    const { lease, store } = environment
    await purgeAlerts(store, workspace)
    // Statuses and exports are stored beside their resources only, so none is stored after the purge of these rows.
    await purgeRows([ingestionConfigKind, logSinkKind], environment, workspace)
    await store.tx(async tx => {
      await purgeLimits(tx, workspace)
      await purgeUsage(tx, workspace)
      await recordDrop(tx, workspace)
      await purgeExports(tx, workspace)
      for await (const { id, version } of tx.each(ingestionStatusCollection, { workspace_id: workspace }))
        await tx.delete(ingestionStatusCollection, id, version)
    })
    // The worker of the retention deletes files that are left here, or that another server has.
    if (lease.isHeld) await dropTelemetry(environment)
  },
})

/** Counts the policies and silences that users have made and that still apply at `now`. */
async function holdings(reader: Reader, workspace: string, now: number): Promise<readonly Holding[]> {
  const policies = await reader.count(retentionPolicyCollection, { workspace_id: workspace, is_default: false })
  return [
    { resourceType: retentionPolicyKind.type, count: policies },
    { resourceType: silenceKind.type, count: await countOpenSilences(reader, workspace, now) },
  ]
}
