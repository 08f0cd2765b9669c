import type { Transaction } from '../ports/store.ts'
import type { Amount, Taxonomy } from '../ports/taxonomy.ts'

/**
 * Takes from the quotas of a workspace the amounts after a change, minus the amounts before the change. A negative
 * difference is returned to its quota.
 */
export async function takeDifference(
  tx: Transaction,
  taxonomy: Pick<Taxonomy, 'consume'>,
  workspace: string,
  before: readonly Amount[],
  after: readonly Amount[],
): Promise<void> {
  const sums = new Map<string, number>()
  for (const { amount, quota } of before) sums.set(quota, (sums.get(quota) ?? 0) - amount)
  for (const { amount, quota } of after) sums.set(quota, (sums.get(quota) ?? 0) + amount)
  const amounts = [...sums].flatMap(([quota, amount]) => (amount === 0 ? [] : [{ quota, amount }]))
  if (amounts.length > 0) await taxonomy.consume(tx, workspace, amounts)
}
