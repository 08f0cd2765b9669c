import type { Transaction } from '../../ports/store.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { quotas, quotaScope, storedBytes } from './quotas.ts'

const [active, readOnly] = ['REGISTRY_REPOSITORY_STATE_ACTIVE', 'REGISTRY_REPOSITORY_STATE_READ_ONLY'] as const

/**
 * Sets READ_ONLY for all repositories of a workspace that stores more than its limit, and lifts it otherwise, in the
 * transaction that changed the limit or the usage. `time` is the time of the change. Locks the repositories in the order
 * of their ids.
 */
export async function settleReadOnly(tx: Transaction, workspace: string, time: string): Promise<void> {
  const limit = await quotas.limitOf(tx, 'registry.storageBytes', quotaScope(workspace), {})
  const isOver = limit >= 0 && (await storedBytes(tx, quotaScope(workspace))) > limit
  const [from, to] = isOver ? [active, readOnly] : [readOnly, active]
  const ids: string[] = []
  for await (const { id } of tx.each(repositoryCollection, { workspace_id: workspace, state: from })) ids.push(id)
  for (const id of ids) {
    const stored = await tx.lock(repositoryCollection, id)
    if (stored?.value.state !== from) continue
    await tx.update(repositoryCollection, id, { ...stored.value, state: to, update_time: time }, stored.version)
  }
}
