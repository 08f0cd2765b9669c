import type { AreaFacts, Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'

/** Checks that each workspace uses as much of the quotas of storage as its buckets take. */
export async function* inspectUsages(
  reader: Reader,
  { usages }: AreaFacts['taxonomy'],
): AsyncGenerator<Finding, void, undefined> {
  for (const [quota, taken] of await takenAmounts(reader)) {
    for await (const [workspace, amount] of usages(reader, quota)) {
      const expected = taken.get(workspace) ?? 0
      taken.delete(workspace)
      if (amount !== expected) yield differing(quota, workspace, amount, expected)
    }
    for (const [workspace, expected] of taken) if (expected !== 0) yield differing(quota, workspace, 0, expected)
  }
}

/** Returns the amounts that the buckets of each workspace take, keyed by quota and by workspace. */
async function takenAmounts(reader: Reader): Promise<ReadonlyMap<string, Map<string, number>>> {
  const quotas = new Map(['storage.buckets', 'storage.bytes'].map(quota => [quota, new Map<string, number>()]))
  for await (const { value } of reader.each(bucketCollection)) {
    for (const { amount, quota } of bucketKind.takes?.(value) ?? []) {
      const taken = quotas.get(quota)
      taken?.set(value.workspace_id, (taken.get(value.workspace_id) ?? 0) + amount)
    }
  }
  return quotas
}

const differing = (quota: string, workspace: string, amount: number, expected: number): Finding => ({
  resourceType: 'taxonomy.quotas',
  id: `${quota}/${workspace}`,
  message: `counts ${amount}, and the buckets of the workspace take ${expected}; restore the store from a backup`,
})
