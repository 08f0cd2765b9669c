import type { Reader, Transaction } from '../../ports/store.ts'
import type { Amount } from '../../ports/taxonomy.ts'
import { chain } from '../tree/chains.ts'
import { limitsOn, requireRoom as requireRoomIn } from './limits.ts'
import { trees, workspaces } from '../tree/nodes.ts'
import { unknownWorkspace } from '../tree/refusals.ts'
import { lockTotal, quotaTotals, quotaUsages, usageId, type QuotaUsage } from './usage.ts'
import type { Scope } from '../../ports/scope.ts'

/** Takes amounts for a workspace, or returns them (`Taxonomy.consume`). Rows are locked in the order of the quotas. */
export async function consume(
  tx: Transaction,
  workspace: string | readonly Scope[],
  amounts: readonly Amount[],
  { isMeasured = false }: { readonly isMeasured?: boolean } = {},
): Promise<void> {
  const chain = typeof workspace === 'string' ? await sharedChain(tx, workspace) : workspace
  if (chain === undefined) {
    if (amounts.every(({ amount }) => amount <= 0)) return
    throw unknownWorkspace(String(workspace))
  }
  for (const [quota, amount] of byQuota(amounts)) await take(tx, chain, { quota, amount }, isMeasured)
}

/** Throws QUOTA_EXCEEDED if the chain of a workspace has no room for an amount now (`Taxonomy.requireRoom`). */
export async function requireRoom(reader: Reader, workspace: string, { amount, quota }: Amount): Promise<void> {
  if (amount <= 0) return
  const upwards = await chain(reader, { type: 'WORKSPACE', id: workspace })
  if (upwards === undefined) throw unknownWorkspace(workspace)
  await requireRoomIn(reader, await limitsOn(reader, quota, upwards.toReversed()), { quota, amount })
}

/**
 * Shares the organisation of a workspace, and returns the scopes from the organisation to the workspace; undefined if
 * the workspace does not exist.
 */
async function sharedChain(tx: Transaction, workspace: string): Promise<readonly Scope[] | undefined> {
  const found = await tx.get(workspaces, workspace)
  if (found) await tx.share(trees, found.value.organisation_id)
  // The workspace may have been moved or deleted before its organisation was shared.
  return found && (await chain(tx, { type: 'WORKSPACE', id: workspace }))?.toReversed()
}

/** Returns the sum of the amounts of each quota, in the order of the quotas' ids. */
function byQuota(amounts: readonly Amount[]): readonly (readonly [quota: string, amount: number])[] {
  const sums = new Map<string, number>()
  for (const { amount, quota } of amounts) sums.set(quota, (sums.get(quota) ?? 0) + amount)
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1))
}

async function take(
  tx: Transaction,
  chain: readonly Scope[],
  { amount, quota }: Amount,
  isMeasured: boolean,
): Promise<void> {
  const [organisation, workspace] = [chain[0]?.id ?? '', chain.at(-1)?.id ?? '']
  const parent = chain.at(-2)
  const total = await lockTotal(tx, quota, organisation)
  if (amount > 0 && !isMeasured) await requireRoomIn(tx, await limitsOn(tx, quota, chain), { quota, amount })
  const id = usageId(quota, workspace)
  const stored = await tx.lock(quotaUsages, id)
  const before = stored?.value.amount ?? 0
  if (before + amount < 0)
    throw new Error(`workspace ${workspace} gives back ${-amount} of ${quota} and uses ${before}`)
  const usage: QuotaUsage = {
    id,
    quota_id: quota,
    workspace_id: workspace,
    organisation_id: organisation,
    parent_group_id: parent?.type === 'GROUP' ? parent.id : '',
    amount: before + amount,
  }
  if (stored) await tx.update(quotaUsages, id, usage, stored.version)
  else await tx.insert(quotaUsages, usage)
  await tx.update(quotaTotals, total.id, { ...total.value, amount: total.value.amount + amount }, total.version)
}
