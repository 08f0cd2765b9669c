import type { Transaction } from '../../ports/store.ts'
import { chain } from '../tree/chains.ts'
import { lockTotal, quotaTotals, quotaUsages, usageId, type QuotaUsage } from './usage.ts'

/**
 * Sets the usage of a quota by a workspace, for rows that were restored and not created. No limit applies, so a usage
 * may exceed its quota; the workspace can then create nothing more. Does nothing if the workspace does not exist.
 */
export async function restateUsage(tx: Transaction, workspace: string, quota: string, amount: number): Promise<void> {
  const scopes = (await chain(tx, { type: 'WORKSPACE', id: workspace }))?.toReversed()
  if (scopes === undefined) return
  const organisation = scopes[0]?.id ?? ''
  const parent = scopes.at(-2)
  const total = await lockTotal(tx, quota, organisation)
  const id = usageId(quota, workspace)
  const stored = await tx.lock(quotaUsages, id)
  const before = stored?.value.amount ?? 0
  if (before === amount) return
  const usage: QuotaUsage = {
    id,
    quota_id: quota,
    workspace_id: workspace,
    organisation_id: organisation,
    parent_group_id: parent?.type === 'GROUP' ? parent.id : '',
    amount,
  }
  if (stored) await tx.update(quotaUsages, id, usage, stored.version)
  else await tx.insert(quotaUsages, usage)
  const changed = { ...total.value, amount: total.value.amount + amount - before }
  await tx.update(quotaTotals, total.id, changed, total.version)
}
