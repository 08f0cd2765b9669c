import type { Collection, Reader, Transaction, Where } from '../ports/store.ts'
import type { Protection, WorkspaceHooks } from '../ports/taxonomy.ts'
import { artifactCollection } from './artifacts/artifacts-store.ts'
import { eventCollection } from './audit-events/events-store.ts'
import { emptyRepository } from './engines/empty-cluster.ts'
import type { RegistryEnvironment } from './environment.ts'
import { grantCollection } from './grants/grants-store.ts'
import { lockCollection, type StoredLock } from './locks/locks-store.ts'
import { lockKind } from './locks/lock-kind.ts'
import { deleteRow } from './repository-calls/delete-content.ts'
import { purgeContent } from './repository-calls/purge-content.ts'
import { quotas } from './quotas/quotas.ts'
import { repositoryCollection } from './repositories/repositories-store.ts'
import { isActive } from './values/expiry.ts'

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** The number of rows that one transaction of a purge deletes. */
const batchSize = 100

/** Returns the hooks of the area, in addition to the hooks of its kinds (registry.md 4.9). */
export const registryHooks = ({ clock, engines, store }: RegistryEnvironment): Partial<WorkspaceHooks> => ({
  async holdings(reader, workspace) {
    const artifacts = await reader.count(artifactCollection, { workspace_id: workspace })
    const grants = await reader.count(grantCollection, { grantor_workspace_id: workspace })
    return [
      { resourceType: 'registry.artifacts', count: artifacts },
      { resourceType: 'registry.pullGrants', count: grants },
    ]
  },
  protections: (reader, workspace) => protections(reader, workspace, clock.now()),
  async purgeWorkspace(workspace) {
    const ids: string[] = []
    for await (const { id, value } of store.each(repositoryCollection, { workspace_id: workspace })) {
      ids.push(id)
      await emptyRepository(engines, value)
    }
    for (const id of ids) {
      while (!(await store.tx(tx => purgeContent(tx, id, clock.now())))) await nextTurn()
      await store.tx(tx => deleteRow(tx, id, clock.now()))
    }
    for (const column of ['grantor_workspace_id', 'grantee_workspace_id'] as const)
      while (!(await store.tx(tx => deleteBatch(tx, grantCollection, { [column]: workspace })))) await nextTurn()
    while (!(await store.tx(tx => deleteBatch(tx, eventCollection, { workspace_id: workspace })))) await nextTurn()
    await quotas.purge(store, workspace)
  },
})

/** Returns the active deployment locks of a workspace, without those that machines of the same workspace hold. */
async function protections(reader: Reader, workspace: string, now: number): Promise<readonly Protection[]> {
  const found: Protection[] = []
  for await (const { id, value } of reader.each(lockCollection, { workspace_id: workspace }))
    if (isActive(value, now) && value.holder_workspace_id !== workspace) found.push(protectionOf(id, value))
  return found
}

const protectionOf = (id: string, { digest, reason, repository_id }: StoredLock): Protection => ({
  resourceType: lockKind.type,
  id,
  reason: `protects ${digest} of repository ${repository_id} (${reason.slice(0, 80)}); delete the lock first`,
})

/** Deletes a batch of rows. Returns whether none is left. */
async function deleteBatch<T>(tx: Transaction, collection: Collection<T>, where: Where<T>): Promise<boolean> {
  let count = 0
  for await (const { id, version } of tx.each(collection, where)) {
    await tx.delete(collection, id, version)
    if ((count += 1) === batchSize) return false
  }
  return true
}
