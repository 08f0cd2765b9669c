import type { WorkspaceHooks } from '../ports/taxonomy.ts'
import type { RegistryEnvironment } from './environment.ts'
import { deleteRow } from './repository-calls/delete-content.ts'
import { purgeContent } from './repository-calls/purge-content.ts'
import { quotas } from './quotas/quotas.ts'
import { repositoryCollection } from './repositories/repositories-store.ts'

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Returns the hooks of the area, in addition to the hooks of its kinds (registry.md 4.9). */
export const registryHooks = ({ clock, store }: RegistryEnvironment): Partial<WorkspaceHooks> => ({
  async purgeWorkspace(workspace) {
    const ids: string[] = []
    for await (const { id } of store.each(repositoryCollection, { workspace_id: workspace })) ids.push(id)
    for (const id of ids) {
      while (!(await store.tx(tx => purgeContent(tx, id, clock.now())))) await nextTurn()
      await store.tx(tx => deleteRow(tx, id, clock.now()))
    }
    await quotas.purge(store, workspace)
  },
})
