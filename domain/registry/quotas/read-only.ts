import type { Transaction } from '../../ports/store.ts'
import { lockBucket } from '../../resources/quotas/buckets.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { quotas, quotaScope, storedBytes } from './quotas.ts'

const [active, readOnly] = ['REGISTRY_REPOSITORY_STATE_ACTIVE', 'REGISTRY_REPOSITORY_STATE_READ_ONLY'] as const

/** The quota whose limit makes repositories READ_ONLY. */
export const storageQuota = 'registry.storageBytes'

/**
 * Returns whether a workspace stores more than its limit. Locks the bucket of the quota first, so that concurrent changes
 * of the usage, the limit and the repositories of the workspace decide one after the other.
 */
export async function isOverLimit(tx: Transaction, workspace: string): Promise<boolean> {
  const scope = quotaScope(workspace)
  await lockBucket(tx, quotas.buckets, storageQuota, scope, {})
  const limit = await quotas.limitOf(tx, storageQuota, scope, {})
  return limit >= 0 && (await storedBytes(tx, scope)) > limit
}

/**
 * Sets READ_ONLY for all repositories of a workspace that stores more than its limit, and lifts it otherwise, in the
 * transaction that changed the limit or the usage. `time` is the time of the change. Locks the repositories in the order
 * of their ids.
 */
export async function settleReadOnly(tx: Transaction, workspace: string, time: string): Promise<void> {
  const [from, to] = (await isOverLimit(tx, workspace)) ? [active, readOnly] : [readOnly, active]
  const ids: string[] = []
  for await (const { id } of tx.each(repositoryCollection, { workspace_id: workspace, state: from })) ids.push(id)
  for (const id of ids) {
    const stored = await tx.lock(repositoryCollection, id)
    if (stored?.value.state !== from) continue
    await tx.update(repositoryCollection, id, { ...stored.value, state: to, update_time: time }, stored.version)
  }
}
