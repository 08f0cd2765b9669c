import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { quotaTotals, usageId } from '../quotas/usage.ts'
import { finding } from './finding.ts'

const type = 'taxonomy.quotaTotals'

/** Compares the totals of an organisation with the sums of its workspaces' usages. */
export async function* inspectTotals(
  reader: Reader,
  organisation: string,
  sums: ReadonlyMap<string, number>,
): AsyncGenerator<Finding, void, undefined> {
  const totalled = new Set<string>()
  for await (const { value } of reader.each(quotaTotals, { organisation_id: organisation })) {
    const { amount, id, quota_id } = value
    const sum = sums.get(quota_id) ?? 0
    totalled.add(quota_id)
    if (id !== usageId(quota_id, organisation)) {
      yield finding(type, id, `has the id of another total; it must be "${usageId(quota_id, organisation)}"`)
    }
    if (amount !== sum) yield finding(type, id, `holds ${amount}; the workspaces of the organisation use ${sum}`)
  }
  for (const [quota, sum] of sums) {
    if (totalled.has(quota)) continue
    yield finding(type, usageId(quota, organisation), `is missing; the workspaces of the organisation use ${sum}`)
  }
}
