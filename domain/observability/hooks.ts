import type { WorkspaceHooks } from '../ports/taxonomy.ts'
import { purgeAlerts } from './alert-rules/purge-alerts.ts'
import type { ObservabilityEnvironment } from './environment.ts'
import { ingestionStatusCollection } from './ingestion-configs/ingestion-status-store.ts'
import { countOpenSilences } from './silences/active-silences.ts'
import { silenceKind } from './silences/silences-store.ts'
import { makeLimits, purgeLimits } from './quotas/limits.ts'

/** Returns the hooks of the area, in addition to the hooks of its kinds. */
export const observabilityHooks = ({ clock, limits, store }: ObservabilityEnvironment): Partial<WorkspaceHooks> => ({
  workspaceCreated: (tx, workspace) => makeLimits(tx, limits, workspace),
  async holdings(reader, workspace) {
    return [{ resourceType: silenceKind.type, count: await countOpenSilences(reader, workspace, clock.now()) }]
  },
  async purgeWorkspace(workspace) {
    await purgeAlerts(store, workspace)
    await store.tx(async tx => {
      await purgeLimits(tx, workspace)
      for await (const { id, version } of tx.each(ingestionStatusCollection, { workspace_id: workspace }))
        await tx.delete(ingestionStatusCollection, id, version)
    })
  },
})
