import { workspaceNotFound } from '../../output/shared/errors.ts'
import type { Scope } from '../ports/operations.ts'
import type { Transaction } from '../ports/store.ts'
import type { Amount } from '../ports/taxonomy.ts'
import { limitsOn, requireRoom } from './limits.ts'
import { locate } from './locate.ts'
import { workspaces, type StoredWorkspace } from './nodes.ts'
import { shareTree } from './tree-lock.ts'
import { lockTotal, quotaTotals, quotaUsages, usageId, type QuotaUsage } from './usage.ts'

/** Takes amounts for a workspace, or gives them back (`Taxonomy.consume`). Rows are locked in the order of the quotas. */
export async function consume(tx: Transaction, workspace: string, amounts: readonly Amount[]): Promise<void> {
  const found = await tx.get(workspaces, workspace)
  if (found) await shareTree(tx, found.value.organisation_id)
  const located = await locate(tx, { type: 'WORKSPACE', id: workspace })
  const stored = await tx.get(workspaces, workspace)
  if (!located || !stored) {
    if (amounts.every(({ amount }) => amount <= 0)) return
    throw workspaceNotFound(`workspace ${workspace} does not exist`)
  }
  for (const [quota, amount] of byQuota(amounts)) await take(tx, stored.value, located.scopes, quota, amount)
}

/** One amount a quota, in the order of their names. */
function byQuota(amounts: readonly Amount[]): readonly (readonly [quota: string, amount: number])[] {
  const sums = new Map<string, number>()
  for (const { amount, quota } of amounts) sums.set(quota, (sums.get(quota) ?? 0) + amount)
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1))
}

async function take(
  tx: Transaction,
  workspace: StoredWorkspace,
  chain: readonly Scope[],
  quota: string,
  amount: number,
): Promise<void> {
  const { id: workspaceId, organisation_id, parent_group_id } = workspace
  const total = await lockTotal(tx, quota, organisation_id)
  if (amount > 0) await requireRoom(tx, await limitsOn(tx, quota, chain), { quota, amount })
  const id = usageId(quota, workspaceId)
  const stored = await tx.lock(quotaUsages, id)
  const before = stored?.value.amount ?? 0
  if (before + amount < 0)
    throw new Error(`workspace ${workspaceId} gives back ${-amount} of ${quota} and uses ${before}`)
  const usage: QuotaUsage = {
    id,
    quota_id: quota,
    workspace_id: workspaceId,
    organisation_id,
    parent_group_id,
    amount: before + amount,
  }
  if (stored) await tx.update(quotaUsages, id, usage, stored.version)
  else await tx.insert(quotaUsages, usage)
  await tx.update(quotaTotals, total.id, { ...total.value, amount: total.value.amount + amount }, total.version)
}
