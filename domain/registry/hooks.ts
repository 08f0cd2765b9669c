import { formatMillis } from '../../runtime/timestamps.ts'
import type { Collection, Reader, Store, Transaction, Where } from '../ports/store.ts'
import type { Protection, WorkspaceHooks } from '../ports/taxonomy.ts'
import { nextTurn } from '../resources/next-turn.ts'
import { artifactCollection } from './artifacts/artifacts-store.ts'
import { eventCollection } from './audit-events/events-store.ts'
import { emptyRepository } from './engines/empty-cluster.ts'
import type { RegistryEnvironment } from './environment.ts'
import { grantCollection } from './grants/grants-store.ts'
import { lockCollection, type StoredLock } from './locks/locks-store.ts'
import { lockKind } from './locks/lock-kind.ts'
import { openingCollection } from './openings/openings-store.ts'
import { deleteRow } from './repository-calls/delete-content.ts'
import { purgeContent } from './repository-calls/purge-content.ts'
import { limitCollection } from './quotas/limit-kind.ts'
import { quotas } from './quotas/quotas.ts'
import { repositoryCollection } from './repositories/repositories-store.ts'
import { dropRow } from './drop-row.ts'
import { endScans } from './scans/end-workspace-scans.ts'
import { scanDayCollection, scheduledCollection } from './scan-results/scans-store.ts'
import { retentionRunCollection } from './retention/retention-store.ts'
import { isActive } from './values/expiry.ts'

/** The number of rows that one transaction of a purge deletes. */
const batchSize = 100

/** Returns the hooks of the area, in addition to the hooks of its kinds (registry.md 4.9). */
export const registryHooks = ({ clock, engines, operations, store }: RegistryEnvironment): Partial<WorkspaceHooks> => ({
  reconcileWorkspace: (workspace, state) => endScans({ operations, store }, workspace, state),
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
      await store.tx(tx => markDeleting(tx, id, clock.now()))
      while (!(await store.tx(tx => purgeContent(tx, id, clock.now())))) await nextTurn()
      await store.tx(tx => deleteRow(tx, id, clock.now()))
    }
    await deleteAll(store, grantCollection, { grantor_workspace_id: workspace })
    await deleteAll(store, grantCollection, { grantee_workspace_id: workspace })
    await deleteAll(store, openingCollection, { workspace_id: workspace })
    await deleteAll(store, eventCollection, { workspace_id: workspace })
    await deleteAll(store, retentionRunCollection, { workspace_id: workspace })
    await deleteAll(store, scheduledCollection, { workspace_id: workspace })
    await store.tx(tx => dropRow(tx, scanDayCollection, workspace))
    await store.tx(tx => purgeLimits(tx, workspace))
  },
})

/** Marks a repository whose content is deleted in batches, and so does not agree with its counts meanwhile. */
async function markDeleting(tx: Transaction, id: string, now: number): Promise<void> {
  const stored = await tx.lock(repositoryCollection, id)
  if (!stored) return
  const marked = {
    ...stored.value,
    state: 'REGISTRY_REPOSITORY_STATE_DELETING',
    update_time: formatMillis(now),
  } as const
  await tx.update(repositoryCollection, id, marked, stored.version)
}

/** Deletes the quota limits of a workspace with their buckets, because a bucket must never name a deleted limit. */
async function purgeLimits(tx: Transaction, workspace: string): Promise<void> {
  for await (const { id, version } of tx.each(limitCollection, { workspace_id: workspace }))
    await tx.delete(limitCollection, id, version)
  await quotas.purgeIn(tx, workspace)
}

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

/** Deletes rows in batches, each in a transaction of its own. */
async function deleteAll<T>(store: Store, collection: Collection<T>, where: Where<T>): Promise<void> {
  while (!(await store.tx(tx => deleteBatch(tx, collection, where)))) await nextTurn()
}

/** Deletes a batch of rows. Returns whether none is left. */
async function deleteBatch<T>(tx: Transaction, collection: Collection<T>, where: Where<T>): Promise<boolean> {
  let count = 0
  for await (const { id, version } of tx.each(collection, where)) {
    await tx.delete(collection, id, version)
    if ((count += 1) === batchSize) return false
  }
  return true
}
